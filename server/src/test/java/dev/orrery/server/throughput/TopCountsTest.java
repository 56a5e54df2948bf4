package dev.orrery.server.throughput;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class TopCountsTest {
  @Test
  void aLargeShareIsFoundAmongManySmallOnesInBoundedMemory() {
    var counts = new TopCounts<Integer>(10);
    var random = new Random(1);
    for (int i = 0; i < 10_000; i++) {
      counts.add(i % 4 == 0 ? -1 : random.nextInt(100_000), 1);
    }
    var top = counts.top(20);
    assertThat(top).hasSize(10);
    assertThat(top.get(0).key()).isEqualTo(-1);
    assertThat(top.get(0).sum()).isGreaterThanOrEqualTo(2_500);
    assertThat(top.get(0).sum() - top.get(0).error()).isLessThanOrEqualTo(2_500);
  }

  @Test
  void sumsAreExactWhileThereIsRoom() {
    var counts = new TopCounts<String>(2);
    counts.add("a", 3);
    counts.add("b", 5);
    counts.add("a", 4);
    assertThat(counts.top(2))
        .containsExactly(
            new TopCounts.Entry<>("a", 7, 0, null), new TopCounts.Entry<>("b", 5, 0, null));
  }
}
