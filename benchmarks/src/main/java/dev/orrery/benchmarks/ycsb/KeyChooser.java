package dev.orrery.benchmarks.ycsb;

/** Picks the number of a record. */
public interface KeyChooser {
  /**
   * @param count how many records there are now
   */
  long next(long count);
}
