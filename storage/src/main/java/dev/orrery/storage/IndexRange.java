package dev.orrery.storage;

/**
 * The part of an index that a scan covers, as encoded keys, and its direction.
 *
 * @param low the lower end, or null for the beginning of the index
 * @param high the upper end, or null for the end of the index
 */
public record IndexRange(
    byte[] low, boolean lowInclusive, byte[] high, boolean highInclusive, boolean reverse) {
  /** The whole index. */
  public static IndexRange all(boolean reverse) {
    return new IndexRange(null, true, null, true, reverse);
  }
}
