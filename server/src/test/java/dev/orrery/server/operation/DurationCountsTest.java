package dev.orrery.server.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class DurationCountsTest {
  @Test
  void everyDurationLiesInItsBucket() {
    var random = new Random(7);
    for (int i = 0; i < 10_000; i++) {
      long nanos = random.nextLong() >>> random.nextInt(1, 63);
      int bucket = DurationCounts.bucketOf(nanos);
      assertThat(nanos).isLessThan(DurationCounts.endNanos(bucket));
      if (bucket > 0) {
        assertThat(nanos).isGreaterThanOrEqualTo(DurationCounts.endNanos(bucket - 1));
      }
    }
  }

  @Test
  void percentilesAreRightToASixteenth() {
    var counts = new DurationCounts();
    for (int i = 1; i <= 1_000; i++) {
      counts.add(i * 1_000_000L);
    }
    assertThat(DurationCounts.nanosAt(counts.counts(), 0.5)).isCloseTo(5e8, within(5e8 / 16));
    assertThat(DurationCounts.nanosAt(counts.counts(), 0.99)).isCloseTo(9.9e8, within(9.9e8 / 16));
    assertThat(DurationCounts.nanosAt(new DurationCounts().counts(), 0.5)).isZero();
  }
}
