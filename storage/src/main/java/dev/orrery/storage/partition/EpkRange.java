package dev.orrery.storage.partition;

/**
 * A half-open range of effective partition keys, as hexadecimal text that compares like the hashes:
 * {@code ""} is the beginning of the key space, {@code "FF"} its end.
 */
public record EpkRange(String minInclusive, String maxExclusive) {
  public static final String BEGIN = "";
  public static final String END = "FF";

  /** The whole key space. */
  public static final EpkRange ALL = new EpkRange(BEGIN, END);

  public EpkRange {
    if (minInclusive.compareTo(maxExclusive) >= 0) {
      throw new IllegalArgumentException("empty range " + minInclusive + ".." + maxExclusive);
    }
  }

  public boolean contains(EpkRange other) {
    return minInclusive.compareTo(other.minInclusive) <= 0
        && other.maxExclusive.compareTo(maxExclusive) <= 0;
  }

  public boolean contains(String epk) {
    return minInclusive.compareTo(epk) <= 0 && epk.compareTo(maxExclusive) < 0;
  }
}
