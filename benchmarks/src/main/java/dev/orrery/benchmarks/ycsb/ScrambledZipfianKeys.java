package dev.orrery.benchmarks.ycsb;

import java.util.SplittableRandom;

/** A few records very often and most of them seldom, the popular ones spread over all. */
public final class ScrambledZipfianKeys implements KeyChooser {
  private static final long FNV_OFFSET = 0xCBF29CE484222325L;
  private static final long FNV_PRIME = 0x100000001B3L;

  private final Zipfian zipfian;
  private final long items;

  public ScrambledZipfianKeys(long items, SplittableRandom random) {
    this.items = items;
    zipfian = new Zipfian(items, random);
  }

  /** Records that came after the first ones are not asked for. */
  @Override
  public long next(long count) {
    return Long.remainderUnsigned(hash(zipfian.next()), items);
  }

  private static long hash(long number) {
    long hash = FNV_OFFSET;
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      hash = (hash ^ (number >>> shift & 0xFF)) * FNV_PRIME;
    }
    return hash;
  }
}
