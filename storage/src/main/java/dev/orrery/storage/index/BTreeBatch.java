package dev.orrery.storage.index;

import java.util.Arrays;

/** Entries copied out of pages: record ids and, one behind the other, the keys. */
final class BTreeBatch {
  private static final int BYTES_MAX = 64 * 1024;

  final boolean hasKeys;
  byte[] keys = new byte[0];
  int[] ends = new int[1]; // ends[i] is where key i starts, ends[i + 1] where it ends
  long[] ids = new long[0];
  int size;
  private byte[] page;
  private int lastKeyStart;
  private int lastKeyEnd;

  BTreeBatch(boolean hasKeys) {
    this.hasKeys = hasKeys;
  }

  /** Starts over, with room for so many entries. */
  void clear(int capacity) {
    size = 0;
    if (ids.length < capacity) {
      ids = new long[capacity];
      ends = new int[capacity + 1];
    }
  }

  /** Room for a copy of a page. */
  byte[] page() {
    if (page == null) {
      page = new byte[PageFile.PAGE_SIZE];
    }
    return page;
  }

  /** How many more entries should come; few long keys fill a batch like many short ones. */
  int room(int limit) {
    return hasKeys && ends[size] >= BYTES_MAX ? 0 : limit - size;
  }

  /** Adds an entry; returns where its key starts in {@link #keys}. */
  int add(long id, int keyLength) {
    int start = ends[size];
    int end = start + keyLength;
    if (end > keys.length) {
      keys = Arrays.copyOf(keys, Math.max(end, Math.max(ids.length * keyLength, 2 * start)));
    }
    ids[size++] = id;
    ends[size] = end;
    lastKeyStart = start;
    lastKeyEnd = end;
    return start;
  }

  /** Adds an entry without its key. */
  void addId(long id) {
    ids[size++] = id;
  }

  /** In a batch without keys: remembers the last entry's key all the same, to go on after it. */
  int addLastKey(int keyLength) {
    if (keyLength > keys.length) {
      keys = new byte[keyLength];
    }
    lastKeyStart = 0;
    lastKeyEnd = keyLength;
    return 0;
  }

  /** The place after the last entry, in the direction of a walk. */
  BTreeBound afterLast(boolean isAscending) {
    byte[] key = Arrays.copyOfRange(keys, lastKeyStart, lastKeyEnd);
    long id = ids[size - 1];
    return isAscending ? BTreeBound.afterEntry(key, id) : BTreeBound.at(key, id);
  }
}
