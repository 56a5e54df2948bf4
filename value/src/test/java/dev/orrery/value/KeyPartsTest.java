package dev.orrery.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

class KeyPartsTest {
  @Test
  void everyValueEndsWhereTheNextBegins() {
    var random = new Random(7);
    var values = new RandomValues(random);
    for (int i = 0; i < 20_000; i++) {
      BsonValue first = values.value(2);
      boolean isDescending = random.nextBoolean();
      var encoder = new KeyEncoder().append(first, isDescending);
      int end = encoder.length();
      byte[] key = encoder.append(values.value(2), !isDescending).toByteArray();
      assertThat(KeyParts.end(key, 0, isDescending)).as("%s", first).isEqualTo(end);
      assertThat(KeyParts.end(key, end, !isDescending)).isEqualTo(key.length);
    }
  }
}
