package dev.orrery.benchmarks.ycsb;

import java.util.SplittableRandom;

/** The newest record most often, older ones less and less. */
public final class LatestKeys implements KeyChooser {
  private final Zipfian zipfian;

  public LatestKeys(long items, SplittableRandom random) {
    zipfian = new Zipfian(items, random);
  }

  @Override
  public long next(long count) {
    return Math.max(0, count - 1 - zipfian.next());
  }
}
