package dev.orrery.language.aggregate.stage;

/**
 * A half-open range of the hashes of partition keys, as hexadecimal text that compares as they do;
 * {@code ""} is the beginning of all, {@code "FF"} the end.
 */
public record KeyRange(String min, String max) {
  public static final KeyRange ALL = new KeyRange("", "FF");

  public boolean contains(String hash) {
    return min.compareTo(hash) <= 0 && hash.compareTo(max) < 0;
  }
}
