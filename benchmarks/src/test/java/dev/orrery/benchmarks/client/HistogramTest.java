package dev.orrery.benchmarks.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class HistogramTest {
  private final Histogram histogram = new Histogram();

  @Test
  void smallDurationsAreExact() {
    for (int i = 1; i <= 50; i++) {
      histogram.record(i);
    }
    assertThat(histogram.percentile(0.5)).isEqualTo(25);
    assertThat(histogram.percentile(1)).isEqualTo(50);
    assertThat(histogram.percentile(0)).isEqualTo(1);
  }

  @Test
  void largeDurationsAreWithinOneSixtyFourth() {
    for (long i = 1; i <= 1_000_000; i++) {
      histogram.record(i * 1000);
    }
    for (double share : new double[] {0.01, 0.5, 0.99, 0.999}) {
      assertThat((double) histogram.percentile(share))
          .isCloseTo(share * 1e9, Percentage.withPercentage(100.0 / 64));
    }
  }

  @Test
  void anyLongHasABucket() {
    for (int shift = 0; shift < Long.SIZE - 1; shift++) {
      var one = new Histogram();
      one.record(1L << shift);
      assertThat((double) one.percentile(0.5)).isCloseTo(1L << shift, within((1L << shift) / 63.0));
    }
    histogram.record(Long.MAX_VALUE);
    assertThat(histogram.percentile(1)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void addsAnother() {
    histogram.record(10);
    var other = new Histogram();
    other.record(20);
    other.record(30);
    histogram.add(other);
    assertThat(histogram.count()).isEqualTo(3);
    assertThat(histogram.percentile(0.5)).isEqualTo(20);
  }

  @Test
  void isZeroWhenEmptyAndTakesNegativeDurationsForZero() {
    assertThat(histogram.percentile(0.99)).isZero();
    histogram.record(-5);
    assertThat(histogram.percentile(0.99)).isZero();
  }
}
