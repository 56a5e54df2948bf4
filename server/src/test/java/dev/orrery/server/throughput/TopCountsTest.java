package dev.orrery.server.throughput;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
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

  @Test
  void itIsAlwaysTheSmallestThatGivesWay() {
    int capacity = 50;
    var counts = new TopCounts<Integer>(capacity);
    var truth = new HashMap<Integer, Long>();
    var random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      int key = (int) Math.abs(random.nextGaussian() * 100);
      long amount = random.nextInt(20);
      counts.add(key, amount);
      truth.merge(key, amount, Long::sum);
      if (i % 500 == 0) {
        var entries = counts.top(capacity);
        assertThat(entries.stream().mapToLong(TopCounts.Entry::sum).sum())
            .isEqualTo(counts.total());
        // A sum that gives way is no larger than the average of all.
        assertThat(entries).allMatch(one -> one.error() <= counts.total() / capacity);
        assertThat(entries).allMatch(one -> truth.get(one.key()) <= one.sum());
        assertThat(entries).allMatch(one -> truth.get(one.key()) >= one.sum() - one.error());
      }
    }
  }
}
