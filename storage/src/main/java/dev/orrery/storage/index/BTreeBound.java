package dev.orrery.storage.index;

import dev.orrery.storage.IndexRange;
import java.util.Arrays;

/**
 * A place between two entries of an index, written as the smallest entry that could follow it. Keys
 * compare as unsigned bytes, equal keys by record id; a record id of -1 comes before every real
 * one.
 */
public record BTreeBound(byte[] key, long recordId) implements Comparable<BTreeBound> {
  static final long BEFORE_ALL = -1;
  static final long AFTER_ALL = Long.MAX_VALUE;

  /** Before the first entry. */
  public static final BTreeBound START = before(new byte[0]);

  /** After the last entry; no key, because no key is large enough. */
  public static final BTreeBound END = new BTreeBound(null, AFTER_ALL);

  /** Before all entries with this key, and before all keys that start with it. */
  public static BTreeBound before(byte[] key) {
    return new BTreeBound(key, BEFORE_ALL);
  }

  /** After all entries with exactly this key. */
  public static BTreeBound after(byte[] key) {
    return new BTreeBound(key, AFTER_ALL);
  }

  /** After all entries whose key starts with these bytes. */
  public static BTreeBound afterPrefix(byte[] prefix) {
    int last = prefix.length - 1;
    while (last >= 0 && prefix[last] == (byte) 0xff) {
      last--;
    }
    if (last < 0) {
      return END;
    }
    byte[] next = Arrays.copyOf(prefix, last + 1);
    next[last]++;
    return before(next);
  }

  /** Before the lowest entry of a range. */
  public static BTreeBound low(IndexRange range) {
    if (range.low() == null) {
      return START;
    }
    return range.lowInclusive() ? before(range.low()) : after(range.low());
  }

  /** After the highest entry of a range. */
  public static BTreeBound high(IndexRange range) {
    if (range.high() == null) {
      return END;
    }
    return range.highInclusive() ? after(range.high()) : before(range.high());
  }

  /** Immediately before this entry. */
  public static BTreeBound at(byte[] key, long recordId) {
    return new BTreeBound(key, recordId);
  }

  /** Immediately after this entry. */
  public static BTreeBound afterEntry(byte[] key, long recordId) {
    return new BTreeBound(key, recordId + 1);
  }

  @Override
  public int compareTo(BTreeBound other) {
    if (isEnd() || other.isEnd()) {
      return Boolean.compare(isEnd(), other.isEnd());
    }
    int order = Arrays.compareUnsigned(key, other.key);
    return order != 0 ? order : Long.compare(recordId, other.recordId);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BTreeBound bound && compareTo(bound) == 0;
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(key) + Long.hashCode(recordId);
  }

  boolean isEnd() {
    return key == null;
  }
}
