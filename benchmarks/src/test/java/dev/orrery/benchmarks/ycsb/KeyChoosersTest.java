package dev.orrery.benchmarks.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** The shares of the numbers in many draws, against those that the distributions say. */
class KeyChoosersTest {
  private static final int ITEMS = 1000;
  private static final int DRAWS = 1_000_000;
  private final SplittableRandom random = new SplittableRandom(11);

  @Test
  void zipfianDrawsEachNumberByItsRank() {
    var zipfian = new Zipfian(ITEMS, random);
    int[] counts = new int[ITEMS];
    for (int i = 0; i < DRAWS; i++) {
      counts[(int) zipfian.next()]++;
    }
    double zeta = Zipfian.zeta(ITEMS);
    for (int rank : new int[] {0, 1}) { // exact by construction
      double expected = DRAWS / Math.pow(rank + 1, Zipfian.THETA) / zeta;
      assertThat((double) counts[rank]).isCloseTo(expected, Percentage.withPercentage(3));
    }
    // The method approximates the others; what counts is how much falls to the most popular.
    for (int most : new int[] {10, 100, 500}) {
      double drawn = Arrays.stream(counts).limit(most).sum();
      double expected = DRAWS * Zipfian.zeta(most) / zeta;
      assertThat(drawn).isCloseTo(expected, Percentage.withPercentage(5));
    }
  }

  @Test
  void scrambledZipfianIsAsSkewedButSpread() {
    int[] counts = draw(new ScrambledZipfianKeys(ITEMS, random), ITEMS);
    int[] sorted = counts.clone();
    Arrays.sort(sorted);
    double mostPopular = DRAWS / Zipfian.zeta(ITEMS);
    assertThat((double) sorted[ITEMS - 1]).isBetween(mostPopular * 0.97, mostPopular * 1.3);
    double firstHalf = Arrays.stream(counts).limit(ITEMS / 2).sum();
    assertThat(firstHalf / DRAWS).isBetween(0.3, 0.7);
  }

  @Test
  void latestPrefersTheNewest() {
    int[] counts = draw(new LatestKeys(ITEMS, random), ITEMS);
    double expected = DRAWS / Zipfian.zeta(ITEMS);
    assertThat((double) counts[ITEMS - 1]).isCloseTo(expected, Percentage.withPercentage(3));
    assertThat(counts[ITEMS - 1]).isGreaterThan(counts[ITEMS - 2]);
    assertThat(counts[ITEMS - 2]).isGreaterThan(counts[ITEMS / 2]);
  }

  @Test
  void latestFollowsInserts() {
    var keys = new LatestKeys(ITEMS, random);
    int newest = 0;
    for (int i = 0; i < 1000; i++) {
      if (keys.next(ITEMS * 2) == ITEMS * 2 - 1) {
        newest++;
      }
    }
    assertThat(newest).isGreaterThan(80);
  }

  @Test
  void uniformDrawsAllAlike() {
    int[] counts = draw(new UniformKeys(random), ITEMS);
    for (int count : counts) {
      assertThat((double) count).isCloseTo(DRAWS / ITEMS, Percentage.withPercentage(20));
    }
  }

  private static int[] draw(KeyChooser keys, int count) {
    int[] counts = new int[count];
    for (int i = 0; i < DRAWS; i++) {
      counts[(int) keys.next(count)]++;
    }
    return counts;
  }
}
