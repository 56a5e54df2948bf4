package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.storage.partition.EffectivePartitionKey;
import dev.orrery.storage.physical.PhysicalPartition;
import dev.orrery.storage.structure.SplitPoint;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SplitPointTest {
  @TempDir Path directory;

  private static String middle(PhysicalPartition partition) {
    return SplitPoint.of(partition.files(), partition.range());
  }

  /** Many keys of very different sizes, in the whole range and in the parts that come of it. */
  @Test
  void noOtherKeyDividesThePartitionMoreEvenly() {
    var random = new Random(17);
    try (var harness = new EngineHarness(directory.resolve("store"))) {
      harness.create("p");
      var bytes = new TreeMap<String, Long>();
      for (int i = 0; i < 1_500; i++) {
        String key = "key" + (random.nextInt(10) == 0 ? 0 : i);
        var document =
            EngineHarness.document(i, random.nextInt(800)).append("p", new BsonString(key));
        harness.insert(document);
        String epk = EffectivePartitionKey.of(RawValue.of(new BsonString(key))).toString();
        bytes.merge(epk, (long) RawDocument.of(document).length(), Long::sum);
      }
      for (int splits = 0; splits < 6; splits++) {
        PhysicalPartition partition = harness.partition();
        var ofPartition = new TreeMap<>(bytes);
        ofPartition.keySet().removeIf(epk -> !partition.range().contains(epk));

        String middle = middle(partition);
        long least =
            ofPartition.keySet().stream().mapToLong(k -> gap(ofPartition, k)).min().orElse(0);
        assertThat(gap(ofPartition, middle)).isEqualTo(least);
        harness.engine.split(harness.store(), partition.id(), middle);
      }
    }
  }

  private static long gap(TreeMap<String, Long> bytes, String at) {
    return Math.abs(sum(bytes.headMap(at)) - sum(bytes.tailMap(at)));
  }

  private static long sum(Map<String, Long> bytes) {
    return bytes.values().stream().mapToLong(Long::longValue).sum();
  }

  @Test
  void oneKeyCannotBeDividedAndTwoCan() {
    try (var harness = new EngineHarness(directory.resolve("store"))) {
      harness.create("p");
      assertThat(middle(harness.partition())).isNull();
      for (int i = 0; i < 10; i++) {
        harness.insert(new BsonDocument("_id", new BsonInt32(i)).append("p", new BsonInt32(1)));
      }
      assertThat(middle(harness.partition())).isNull();
      harness.insert("{_id: 100, p: 2}");
      var epks =
          List.of(1, 2).stream()
              .map(key -> EffectivePartitionKey.of(RawValue.of(new BsonInt32(key))).toString())
              .sorted()
              .toList();
      assertThat(middle(harness.partition())).isEqualTo(epks.get(1));
    }
  }
}
