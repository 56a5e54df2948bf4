package dev.orrery.storage.index;

import dev.orrery.storage.StorageException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.StampedLock;

/**
 * An ordered set of (key, record id): a B+tree with prefix compression on the pages of a {@link
 * PageFile}. Keys are arbitrary bytes of any length, compared unsigned; equal keys order by record
 * id.
 *
 * <p>Every operation is absolute, so repeating one that is already contained changes nothing: after
 * a crash the operations since {@link #lsn()} may be replayed in order. Any thread may read at any
 * time. Changes are serialised here, but their order is the caller's business.
 */
public final class BTree implements AutoCloseable {
  private static final int ROOT = 0;
  private static final int COUNT = 1;
  private static final int TAG = 2;
  private static final int LOAD_BATCH = 64;

  private final PageFile file;
  private final BTreeOverflow overflow;
  private final BTreeWriter writer;
  private final StampedLock lock = new StampedLock();
  private final Semaphore checkpointing = new Semaphore(1);
  private long modifications;
  private long count;
  private volatile long tag;

  private BTree(PageFile file) {
    this.file = file;
    this.overflow = new BTreeOverflow(file);
    this.writer = new BTreeWriter(file, Math.toIntExact(file.field(ROOT)));
    this.count = file.field(COUNT);
    this.tag = file.field(TAG);
  }

  /**
   * Opens the last checkpoint of a tree, or a new tree that gets its file with its first
   * checkpoint.
   *
   * @param isDurable whether checkpoints are forced to disk
   */
  public static BTree open(Path path, PageFilePool pool, boolean isDurable) {
    return open(path, FileOwner.NONE, pool, isDurable);
  }

  /** The same of a certain owner: what is another's is corrupt. */
  public static BTree open(Path path, FileOwner owner, PageFilePool pool, boolean isDurable) {
    return new BTree(PageFile.open(path, PageFileKind.BTREE, owner, pool, isDurable));
  }

  /** An empty tree in the place of a file that cannot be used. */
  public static BTree openEmpty(Path path, FileOwner owner, PageFilePool pool, boolean isDurable) {
    return new BTree(PageFile.openEmpty(path, PageFileKind.BTREE, owner, pool, isDurable));
  }

  /** Adds an entry; false if it was there. Record ids are not negative. */
  public boolean insert(byte[] key, long recordId) {
    long stamp = lock.writeLock();
    try {
      return insertLocked(key, recordId);
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  /** Removes an entry; false if it was not there. */
  public boolean remove(byte[] key, long recordId) {
    long stamp = lock.writeLock();
    try {
      boolean isRemoved = writer.remove(key, recordId);
      if (isRemoved) {
        count--;
        modifications++;
      }
      return isRemoved;
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  /**
   * Adds the entries that are not there. They are taken in about the order of the tree, so that
   * neighbours follow each other, whatever order they come in.
   */
  public void insertAll(BTreeEntries entries) {
    int[] order = entries.order();
    for (int start = 0; start < order.length; start += LOAD_BATCH) {
      int end = Math.min(order.length, start + LOAD_BATCH);
      long stamp = lock.writeLock();
      try {
        writer.forgetLeaf();
        for (int i = start; i < end; i++) {
          count(writer.insertNear(entries.key(order[i]), entries.recordId(order[i])));
        }
      } finally {
        lock.unlockWrite(stamp);
      }
    }
  }

  /** Adds many entries. Ascending input gives full pages and is several times faster. */
  public void load(BTreeSource source) {
    boolean hasMore = source.next();
    while (hasMore) {
      long stamp = lock.writeLock();
      try {
        for (int i = 0; i < LOAD_BATCH && hasMore; i++) {
          insertLocked(source.key(), source.recordId());
          hasMore = source.next();
        }
      } finally {
        lock.unlockWrite(stamp);
      }
    }
  }

  public boolean contains(byte[] key, long recordId) {
    BTreePage page = newPage();
    long stamp = lock.readLock();
    try {
      if (!descend(page, key, recordId)) {
        return false;
      }
      page.lowerBound(key, recordId);
      return page.isExact();
    } finally {
      lock.unlockRead(stamp);
    }
  }

  /** Entries between two bounds, smallest first. */
  public BTreeCursor ascending(BTreeBound from, BTreeBound to) {
    return new BTreeCursor(this, from, to, true);
  }

  /** Entries between two bounds ({@code from} is still the lower one), largest first. */
  public BTreeCursor descending(BTreeBound from, BTreeBound to) {
    return new BTreeCursor(this, from, to, false);
  }

  public long count() {
    long stamp = lock.readLock();
    try {
      return count;
    } finally {
      lock.unlockRead(stamp);
    }
  }

  /**
   * About how many entries lie between two bounds, from one descent for each: exact if both end in
   * one leaf, else by the share of children passed on the way, as if all pages were equally full.
   */
  public long estimate(BTreeBound from, BTreeBound to) {
    long stamp = lock.readLock();
    try {
      if (writer.root() == 0) {
        return 0;
      }
      BTreePage low = newPage();
      BTreePage high = newPage();
      double share = position(high, to) - position(low, from);
      if (low.number() == high.number()) {
        return Math.max(0, slot(high, to) - slot(low, from));
      }
      return Math.max(0, Math.round(share * count));
    } finally {
      lock.unlockRead(stamp);
    }
  }

  /** A number of the caller's; saved with each checkpoint. */
  public long tag() {
    return tag;
  }

  public void tag(long value) {
    tag = value;
  }

  /** The log position that the last durable checkpoint contains; 0 if there was none. */
  public long lsn() {
    return file.lsn();
  }

  /** Whose the last durable checkpoint says it is. */
  public FileOwner savedOwner() {
    return file.savedOwner();
  }

  /** Pages changed since the last checkpoint began: what the next one writes. */
  public long dirtyBytes() {
    return file.dirtyBytes();
  }

  /** Size of all pages, free ones included. */
  public long totalBytes() {
    return (long) file.pageCount() << PageFile.PAGE_SHIFT;
  }

  /** Pages that wait to be used again. */
  public long freeBytes() {
    return (long) file.freePages() << PageFile.PAGE_SHIFT;
  }

  /** Freezes and writes the present state. */
  public void checkpoint(long lsn) {
    prepareCheckpoint(lsn).complete();
  }

  /**
   * Freezes the present state, which contains everything up to {@code lsn}; takes microseconds. The
   * result must be completed, without any lock, before the next one can be prepared.
   */
  public PendingCheckpoint prepareCheckpoint(long lsn) {
    return new PendingCheckpoint(
        file,
        this::exclusively,
        checkpointing,
        () -> {
          file.field(ROOT, writer.root());
          file.field(COUNT, count);
          file.field(TAG, tag);
          return file.freeze(lsn);
        });
  }

  /**
   * Checks every page of the last checkpoint, the order of all entries and, if none changed
   * meanwhile, their number. Writers wait for some pages at a time.
   */
  public void verify() {
    verifyEntries(verifyPages());
  }

  /** Checks every page of the last checkpoint; returns how many changes there were until then. */
  public long verifyPages() {
    int page = 1;
    long before = 0;
    while (page != 0) {
      long stamp = lock.readLock();
      try {
        page = file.verify(page);
        before = modifications;
      } finally {
        lock.unlockRead(stamp);
      }
    }
    return before;
  }

  private void verifyEntries(long modificationsBefore) {
    long seen = 0;
    byte[] last = null;
    long lastId = 0;
    for (BTreeCursor cursor = ascending(BTreeBound.START, BTreeBound.END); cursor.next(); seen++) {
      byte[] key = cursor.key();
      int order = last == null ? -1 : Arrays.compareUnsigned(last, key);
      if (order > 0 || order == 0 && lastId >= cursor.recordId()) {
        throw new StorageException(
            StorageException.Reason.CORRUPT, file.path() + ": entries out of order", null);
      }
      last = key;
      lastId = cursor.recordId();
    }
    long stamp = lock.readLock();
    try {
      if (seen != count && modifications == modificationsBefore) {
        throw new StorageException(
            StorageException.Reason.CORRUPT, file.path() + ": " + seen + " of " + count, null);
      }
    } finally {
      lock.unlockRead(stamp);
    }
  }

  /** Forgets what was not checkpointed. No other call may be under way. */
  @Override
  public void close() {
    file.close();
  }

  /** Closes, and removes the files. */
  public void delete() {
    file.delete();
  }

  StampedLock lock() {
    return lock;
  }

  /** Changes with every change of an entry; read under the lock. */
  long modifications() {
    return modifications;
  }

  BTreePage newPage() {
    return new BTreePage(file, overflow);
  }

  /** Moves to the leaf where a bound belongs; false if the tree has no page. */
  boolean descend(BTreePage page, BTreeBound bound) {
    if (!bound.isEnd()) {
      return descend(page, bound.key(), bound.recordId());
    }
    if (writer.root() == 0) {
      return false;
    }
    page.read(writer.root());
    while (!page.isLeaf()) {
      page.read(page.child(page.count()));
    }
    return true;
  }

  static int slot(BTreePage leaf, BTreeBound bound) {
    return bound.isEnd() ? leaf.count() : leaf.lowerBound(bound.key(), bound.recordId());
  }

  private boolean descend(BTreePage page, byte[] key, long recordId) {
    if (writer.root() == 0) {
      return false;
    }
    page.read(writer.root());
    while (!page.isLeaf()) {
      page.read(page.child(page.childIndex(key, recordId)));
    }
    return true;
  }

  /** The share of the tree before a bound; leaves the page at the bound's leaf. */
  private double position(BTreePage page, BTreeBound bound) {
    double before = 0;
    double width = 1;
    page.read(writer.root());
    while (!page.isLeaf()) {
      int index = bound.isEnd() ? page.count() : page.childIndex(bound.key(), bound.recordId());
      width /= page.count() + 1;
      before += width * index;
      page.read(page.child(index));
    }
    return before + width * slot(page, bound) / Math.max(1, page.count());
  }

  private void exclusively(Runnable change) {
    long stamp = lock.writeLock();
    try {
      change.run();
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  private boolean insertLocked(byte[] key, long recordId) {
    return count(writer.insert(key, recordId));
  }

  private boolean count(boolean isInserted) {
    if (isInserted) {
      count++;
      modifications++;
    }
    return isInserted;
  }
}
