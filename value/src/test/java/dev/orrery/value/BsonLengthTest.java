package dev.orrery.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;

class BsonLengthTest {
  private static long encoded(BsonDocument document) {
    var encoder = new BsonEncoder(16);
    encoder.writeDocument(document);
    return encoder.length();
  }

  @Test
  void itIsWhatTheEncoderWrites() {
    var random = new RandomValues(new Random(1));
    for (int i = 0; i < 5_000; i++) {
      var document = new BsonDocument("é", random.value(3));
      RawDocument raw = RawDocument.of(document);
      document.append("raw", raw.asRawBson());
      assertThat(BsonLength.of(document)).isEqualTo(encoded(document));
    }
  }

  @Test
  void theNamesOfElementsOfALongArrayGetLonger() {
    for (int size : new int[] {0, 1, 9, 10, 11, 99, 100, 101, 1_000, 12_345}) {
      var array = new BsonArray();
      for (int i = 0; i < size; i++) {
        array.add(new BsonInt32(i));
      }
      var document = new BsonDocument("a", array);
      assertThat(BsonLength.of(document)).isEqualTo(encoded(document));
    }
  }
}
