package dev.orrery.storage.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.storage.keyindex.KeyIndex;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BatchKeysTest {
  private record KeyOf(Object structure, ByteBuffer key) {}

  @Test
  void itHoldsWhatAHashMapHolds() {
    var random = new Random(1);
    Map<KeyOf, Long> model = new HashMap<>();
    var keys = new BatchKeys(3); // grows many times
    List<Object> structures = List.of(new Object(), new Object(), new Object());
    for (int i = 0; i < 20_000; i++) {
      Object structure = structures.get(random.nextInt(structures.size()));
      byte[] key = new byte[random.nextInt(3)];
      random.nextBytes(key);
      var modelKey = new KeyOf(structure, ByteBuffer.wrap(key));
      assertThat(keys.get(structure, key))
          .isEqualTo(model.getOrDefault(modelKey, BatchKeys.UNKNOWN));
      assertThat(keys.contains(structure, key)).isEqualTo(model.containsKey(modelKey));
      if (random.nextInt(3) == 0) {
        long value = random.nextBoolean() ? KeyIndex.ABSENT : i;
        keys.put(structure, key, value);
        model.put(modelKey, value);
      }
    }
  }
}
