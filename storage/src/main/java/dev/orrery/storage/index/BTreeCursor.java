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
  private static final int LONG_KEY = 128;

  private final BTree tree;
  private final BTreePage page;
  private final boolean isAscending;
  private final BTreeBound low;
  private final BTreeBound high;

  private BTreeBatch batch = new BTreeBatch(true);
  private int current;
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

  /** Leaves out the keys, for a caller that needs only record ids. To be said before the start. */
  public BTreeCursor withoutKeys() {
    batch = new BTreeBatch(false);
    return this;
  }

  /** Tells how many entries will probably be wanted, so that neither more nor less are copied. */
  public BTreeCursor expect(int entries) {
    limit = Math.max(1, Math.min(BATCH_MAX, entries));
    return this;
  }

  /** Moves to the next entry; false at the end. */
  public boolean next() {
    if (++current < batch.size) {
      return true;
    }
    current = 0;
    if (isExhausted) {
      batch.size = 0;
      return false;
    }
    fill();
    return batch.size > 0;
  }

  public long recordId() {
    return batch.ids[current];
  }

  /** A copy of the key. */
  public byte[] key() {
    return Arrays.copyOfRange(keyArray(), keyOffset(), keyOffset() + keyLength());
  }

  /** The array that holds the key until the next call of {@link #next} or {@link #seek}. */
  public byte[] keyArray() {
    if (!batch.hasKeys) {
      throw new IllegalStateException("a cursor without keys");
    }
    return batch.keys;
  }

  public int keyOffset() {
    return batch.ends[current];
  }

  public int keyLength() {
    return batch.ends[current + 1] - batch.ends[current];
  }

  /**
   * Skips: the next entry is the first, in this cursor's direction, beyond the bound. A bound
   * behind the cursor leads back, though never outside the cursor's own bounds.
   */
  public void seek(BTreeBound bound) {
    if (isAscending) {
      resume = bound.compareTo(low) < 0 ? low : bound;
    } else {
      resume = bound.compareTo(high) > 0 ? high : bound;
    }
    batch.size = 0;
    current = 0;
    limit = FIRST_BATCH;
    isExhausted = low.isEnd();
  }

  private void fill() {
    long stamp = tree.lock().readLock();
    try {
      boolean isEmpty = !locate();
      batch.clear(limit);
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
    limit = BATCH_MAX;
  }

  /** Goes to where the next batch starts; false if the tree is empty. */
  private boolean locate() {
    if (resume == null && seenModifications == tree.modifications()) {
      page.read(nextPage);
      return true;
    }
    BTreeBound bound = resume == null ? batch.afterLast(isAscending) : resume;
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
      copy(end - nextSlot, 1);
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
      copy(nextSlot - start, -1);
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

  /** Copies as many of the available entries as there is room for, and moves on. */
  private void copy(int available, int step) {
    int left = available;
    while (left > 0 && batch.room(limit) > 0) {
      // A run of short keys in one go; long keys one by one, as each may fill the batch.
      int run = page.usedBytes() / page.count() > LONG_KEY ? 1 : Math.min(left, batch.room(limit));
      page.copyEntries(batch, step > 0 ? nextSlot : nextSlot - 1, step, run);
      nextSlot += step * run;
      left -= run;
    }
  }
}
