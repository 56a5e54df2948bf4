package dev.orrery.storage.index;

import java.util.Arrays;

/**
 * Walks the entries between two bounds. Entries are copied some at a time, so that the tree is
 * locked only for microseconds; the cursor may rest for any time, and goes on after the last entry
 * it gave whatever happened meanwhile. It sees each entry at most once, and every one that was
 * there all the time. For one thread; nothing to close.
 */
public final class BTreeCursor {
  private static final int FIRST_BATCH = 16;
  private static final int BATCH_MAX = 128;
  private static final int BATCH_BYTES_MAX = 64 * 1024;

  private final BTree tree;
  private final BTreePage page;
  private final boolean isAscending;
  private final BTreeBound low;
  private final BTreeBound high;
  private boolean hasKeys = true;

  // The batch: the entries copied last, of which `current` is the one to look at.
  private byte[] keys = new byte[512];
  private int[] ends = new int[FIRST_BATCH + 1];
  private long[] ids = new long[FIRST_BATCH];
  private int size;
  private int current;
  private int lastKeyStart;
  private int lastKeyEnd;
  private int limit = FIRST_BATCH;

  // Where the next batch starts: at a place in a page, or if that is stale, at a bound.
  private BTreeBound resume;
  private int nextPage;
  private int nextSlot;
  private long seenModifications;
  private boolean isExhausted;

  BTreeCursor(BTree tree, BTreeBound low, BTreeBound high, boolean isAscending) {
    this.tree = tree;
    this.page = tree.newPage();
    this.isAscending = isAscending;
    this.low = low;
    this.high = high;
    this.resume = isAscending ? low : high;
    this.isExhausted = low.isEnd();
  }

  /** Leaves out the keys, for a caller that needs only record ids. */
  public BTreeCursor withoutKeys() {
    hasKeys = false;
    return this;
  }

  /** Moves to the next entry; false at the end. */
  public boolean next() {
    if (++current < size) {
      return true;
    }
    current = 0;
    if (isExhausted) {
      size = 0;
      return false;
    }
    fill();
    return size > 0;
  }

  public long recordId() {
    return ids[current];
  }

  /** A copy of the key. */
  public byte[] key() {
    return Arrays.copyOfRange(keyArray(), keyOffset(), keyOffset() + keyLength());
  }

  /** The array that holds the key until the next call of {@link #next} or {@link #seek}. */
  public byte[] keyArray() {
    if (!hasKeys) {
      throw new IllegalStateException("a cursor without keys");
    }
    return keys;
  }

  public int keyOffset() {
    return ends[current];
  }

  public int keyLength() {
    return ends[current + 1] - ends[current];
  }

  /**
   * Skips forward: the next entry is the first, in this cursor's direction, beyond the bound. A
   * bound behind the cursor would go back, which is allowed too, but not outside the cursor's own
   * bounds.
   */
  public void seek(BTreeBound bound) {
    if (isAscending) {
      resume = bound.compareTo(low) < 0 ? low : bound;
    } else {
      resume = bound.compareTo(high) > 0 ? high : bound;
    }
    size = 0;
    current = 0;
    limit = FIRST_BATCH;
    isExhausted = low.isEnd();
  }

  private void fill() {
    grow();
    long stamp = tree.lock().readLock();
    try {
      boolean isEmpty = !locate();
      size = 0;
      if (isEmpty) {
        isExhausted = true;
        return;
      }
      if (isAscending) {
        fillAscending();
      } else {
        fillDescending();
      }
      nextPage = page.number();
      seenModifications = tree.modifications();
    } finally {
      tree.lock().unlockRead(stamp);
    }
    limit = Math.min(BATCH_MAX, limit * 8);
  }

  /** Goes to where the next batch starts; false if the tree is empty. */
  private boolean locate() {
    if (resume == null && seenModifications == tree.modifications()) {
      page.read(nextPage);
      return true;
    }
    BTreeBound bound = resume == null ? afterLast() : resume;
    if (!tree.descend(page, bound)) {
      return false;
    }
    nextSlot = BTree.slot(page, bound);
    resume = null;
    return true;
  }

  private void fillAscending() {
    while (true) {
      int count = page.count();
      int end = high.isEnd() ? count : page.lowerBound(high.key(), high.recordId());
      while (nextSlot < end && hasRoom()) {
        copy(nextSlot++, nextSlot == end);
      }
      if (nextSlot < end) {
        return;
      }
      if (end < count || page.right() == 0) {
        isExhausted = true;
        return;
      }
      page.read(page.right());
      nextSlot = 0;
    }
  }

  private void fillDescending() {
    while (true) {
      int start = page.lowerBound(low.key(), low.recordId());
      while (nextSlot > start && hasRoom()) {
        copy(--nextSlot, nextSlot == start);
      }
      if (nextSlot > start) {
        return;
      }
      if (start > 0 || page.left() == 0) {
        isExhausted = true;
        return;
      }
      page.read(page.left());
      nextSlot = page.count();
    }
  }

  private boolean hasRoom() {
    return size < limit && ends[size] < BATCH_BYTES_MAX;
  }

  /** Without keys, only the key that a later batch may have to start from is copied. */
  private void copy(int slot, boolean isLastOfPage) {
    page.cell(slot);
    ids[size] = page.id();
    int start = ends[size];
    if (hasKeys || isLastOfPage || size + 1 == limit) {
      int length = page.keyLength();
      if (start + length > keys.length) {
        keys = Arrays.copyOf(keys, Math.max(start + length, keys.length * 2));
      }
      page.copyKey(keys, start);
      lastKeyStart = start;
      lastKeyEnd = start + length;
    }
    size++;
    ends[size] = hasKeys ? lastKeyEnd : 0;
  }

  private BTreeBound afterLast() {
    byte[] key = Arrays.copyOfRange(keys, lastKeyStart, lastKeyEnd);
    long id = ids[size - 1];
    return isAscending ? BTreeBound.afterEntry(key, id) : BTreeBound.at(key, id);
  }

  private void grow() {
    if (ids.length < limit) {
      ids = Arrays.copyOf(ids, limit);
      ends = Arrays.copyOf(ends, limit + 1);
    }
  }
}
