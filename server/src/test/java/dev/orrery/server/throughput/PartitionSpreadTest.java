package dev.orrery.server.throughput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.orrery.storage.partition.EffectivePartitionKey;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.value.RawValue;
import java.util.Random;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;

class PartitionSpreadTest {
  @Test
  void aHundredThousandRandomKeysDifferByLessThanFivePercentOverSixteenPartitions() {
    var map = PartitionMap.even(16);
    var random = new Random(20260504);
    int[] counts = new int[16];
    for (int i = 0; i < 100_000; i++) {
      RawValue key = RawValue.of(new BsonString(Long.toHexString(random.nextLong())));
      counts[map.indexOf(EffectivePartitionKey.of(key).toString())]++;
    }
    int even = 100_000 / 16;
    for (int count : counts) {
      assertThat(count).isCloseTo(even, within(even / 20));
    }
  }
}
