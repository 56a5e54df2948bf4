package dev.orrery.benchmarks.ycsb;

import java.util.SplittableRandom;

/** Every record as often as every other. */
public final class UniformKeys implements KeyChooser {
  private final SplittableRandom random;

  public UniformKeys(SplittableRandom random) {
    this.random = random;
  }

  @Override
  public long next(long count) {
    return random.nextLong(count);
  }
}
