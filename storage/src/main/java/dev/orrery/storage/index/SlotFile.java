package dev.orrery.storage.index;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.StampedLock;

/**
 * Record id to log position; a position of 0 means that there is no such record. Ids count up from
 * 1 and are never given twice. Pages of slots hang in a shallow tree of directory pages, and go
 * back to the file when their last record does, so that the size follows the live records, not the
 * highest id.
 *
 * <p>Point reads take no lock: a slot is one long that changes in one step. They repeat only if
 * pages changed places meanwhile (a page was freed, a checkpoint settled). Writers are serialised
 * here. Like all operations on indexes, setting a slot may be replayed.
 */
public final class SlotFile implements AutoCloseable {
  /** What is behind the name of files that an image may need to be complete. */
  public static final List<String> JOURNALS =
      List.of(PageFileJournal.SUFFIX, PageFileJournal.OLDER_SUFFIX);

  /*
   * A slot page holds 511 positions (8 bytes each), a directory page 1022 page numbers (4 bytes each, 0
   * for none); both end with the number of those that are not 0 (4). At level 0 the root is a slot page.
   */
  private static final int SLOTS = 511;
  private static final int CHILDREN = 1022;
  private static final int LIVE_AT = SLOTS * Long.BYTES;
  private static final int LEVELS_MAX = 4;

  private static final int ROOT = 0;
  private static final int COUNT = 1;
  private static final int HIGHEST = 2;
  private static final int PAYLOAD_BYTES = 3;

  private final PageFile file;
  private final Object writer = new Object();
  private final StampedLock structure = new StampedLock();
  private final Semaphore checkpointing = new Semaphore(1);
  private volatile long root; // level in the upper half, page in the lower; 0 while empty
  private volatile long count;
  private volatile long highestId;
  private volatile long payloadBytes;

  private SlotFile(PageFile file) {
    this.file = file;
    this.root = file.field(ROOT);
    this.count = file.field(COUNT);
    this.highestId = file.field(HIGHEST);
    this.payloadBytes = file.field(PAYLOAD_BYTES);
  }

  /**
   * Opens the last checkpoint, or a new file that exists from its first checkpoint on.
   *
   * @param isDurable whether checkpoints are forced to disk
   */
  public static SlotFile open(Path path, PageFilePool pool, boolean isDurable) {
    return open(path, FileOwner.NONE, pool, isDurable);
  }

  /** The same of a certain owner: what is another's is corrupt. */
  public static SlotFile open(Path path, FileOwner owner, PageFilePool pool, boolean isDurable) {
    return new SlotFile(PageFile.open(path, PageFileKind.SLOTS, owner, pool, isDurable));
  }

  /** No slots in the place of a file that cannot be used. */
  public static SlotFile openEmpty(
      Path path, FileOwner owner, PageFilePool pool, boolean isDurable) {
    return new SlotFile(PageFile.openEmpty(path, PageFileKind.SLOTS, owner, pool, isDurable));
  }

  /** The position of a record, or 0. */
  public long get(long id) {
    if (id <= 0 || id > highestId) {
      return 0;
    }
    long stamp = structure.tryOptimisticRead();
    if (stamp != 0) {
      try {
        long position = read(id);
        if (structure.validate(stamp)) {
          return position;
        }
      } catch (RuntimeException e) {
        if (structure.validate(stamp)) {
          throw e; // not the effect of pages that changed places under us
        }
      }
    }
    stamp = structure.readLock();
    try {
      return read(id);
    } finally {
      structure.unlockRead(stamp);
    }
  }

  /** Stores a record's position; 0 removes it. Its id counts as given from now on. */
  public void set(long id, long position) {
    if (id <= 0) {
      throw new IllegalArgumentException("record ids start at 1: " + id);
    }
    synchronized (writer) {
      store(id, position);
    }
  }

  /** Moves a record unless somebody else did; true if it was at {@code expected}. */
  public boolean replace(long id, long expected, long position) {
    synchronized (writer) {
      boolean isExpected = get(id) == expected;
      if (isExpected) {
        store(id, position);
      }
      return isExpected;
    }
  }

  /** Stores a new record under the next id. */
  public long append(long position) {
    synchronized (writer) {
      long id = highestId + 1;
      store(id, position);
      return id;
    }
  }

  /** The highest id ever given, 0 if none was. */
  public long highestId() {
    return highestId;
  }

  /** The caller's count of the bytes that its records refer to; saved with each checkpoint. */
  public long payloadBytes() {
    return payloadBytes;
  }

  public void payloadBytes(long bytes) {
    payloadBytes = bytes;
  }

  /** The number of records. */
  public long count() {
    return count;
  }

  /**
   * Collects records upward from an id (inclusive) until the arrays are full or there are no more;
   * returns how many. To go on, start after the last id.
   */
  public int scanUp(long fromId, long[] ids, long[] positions) {
    long stamp = structure.readLock();
    try {
      long top = root;
      int found = 0;
      long id = Math.max(1, fromId);
      while (top != 0 && id <= highestId && found < ids.length) {
        long leaf = leafAtOrAfter((int) top, level(top), id / SLOTS);
        if (leaf < 0) {
          break;
        }
        id = Math.max(id, leaf * SLOTS);
        int page = leafPage(leaf);
        int location = file.locate(page);
        ByteBuffer buffer = file.buffer(page, location);
        int base = PageFile.offset(page, location);
        for (int slot = (int) (id % SLOTS); slot < SLOTS && found < ids.length; slot++, id++) {
          long position = OrderedAccess.longAt(buffer, base + slot * Long.BYTES);
          if (position != 0) {
            ids[found] = id;
            positions[found++] = position;
          }
        }
      }
      return found;
    } finally {
      structure.unlockRead(stamp);
    }
  }

  /** Like {@link #scanUp}, from an id (inclusive) downward. */
  public int scanDown(long fromId, long[] ids, long[] positions) {
    long stamp = structure.readLock();
    try {
      long top = root;
      int found = 0;
      long id = Math.min(highestId, fromId);
      while (top != 0 && id > 0 && found < ids.length) {
        long leaf = leafAtOrBefore((int) top, level(top), id / SLOTS);
        if (leaf < 0) {
          break;
        }
        id = Math.min(id, leaf * SLOTS + SLOTS - 1);
        int page = leafPage(leaf);
        int location = file.locate(page);
        ByteBuffer buffer = file.buffer(page, location);
        int base = PageFile.offset(page, location);
        for (int slot = (int) (id % SLOTS); slot >= 0 && found < ids.length; slot--, id--) {
          long position = OrderedAccess.longAt(buffer, base + slot * Long.BYTES);
          if (position != 0) {
            ids[found] = id;
            positions[found++] = position;
          }
        }
      }
      return found;
    } finally {
      structure.unlockRead(stamp);
    }
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
    synchronized (writer) {
      return file.dirtyBytes();
    }
  }

  /** Size of all pages, free ones included. */
  public long totalBytes() {
    synchronized (writer) {
      return (long) file.pageCount() << PageFile.PAGE_SHIFT;
    }
  }

  /** Freezes and writes the present state. */
  public void checkpoint(long lsn) {
    prepareCheckpoint(lsn).complete();
  }

  /** See {@link BTree#prepareCheckpoint}. */
  public PendingCheckpoint prepareCheckpoint(long lsn) {
    return new PendingCheckpoint(
        file,
        this::exclusively,
        checkpointing,
        () -> {
          file.field(ROOT, root);
          file.field(COUNT, count);
          file.field(HIGHEST, highestId);
          file.field(PAYLOAD_BYTES, payloadBytes);
          return file.freeze(lsn);
        });
  }

  /** Checks every page of the last checkpoint; writers wait for some pages at a time. */
  public void verifyPages() {
    int[] next = {1};
    while (next[0] != 0) {
      exclusively(() -> next[0] = file.verify(next[0]));
    }
  }

  /** Checks every page of the last checkpoint, and the number of records. Nobody may write. */
  public void verify() {
    verifyPages();
    long[] ids = new long[1024];
    long[] positions = new long[1024];
    long seen = 0;
    long from = 1;
    for (int n = scanUp(1, ids, positions); n > 0; n = scanUp(from, ids, positions)) {
      seen += n;
      from = ids[n - 1] + 1;
    }
    if (seen != count) {
      throw PageFileImage.corrupt(file.path(), 0, seen + " records, not " + count);
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

  private long read(long id) {
    int page = leafPage(id / SLOTS);
    if (page == 0) {
      return 0;
    }
    int location = file.locate(page);
    int at = PageFile.offset(page, location) + (int) (id % SLOTS) * Long.BYTES;
    return OrderedAccess.longAt(file.buffer(page, location), at);
  }

  /** The slot page with this number among all possible ones, or 0. */
  private int leafPage(long leaf) {
    long top = root;
    int page = (int) top;
    for (int level = level(top); level > 0 && page != 0; level--) {
      long span = span(level - 1);
      long index = leaf / span;
      if (level == level(top) && index >= CHILDREN) {
        return 0;
      }
      page = child(page, (int) (index % CHILDREN));
    }
    return level(top) == 0 && leaf > 0 ? 0 : page;
  }

  private int child(int page, int index) {
    int location = file.locate(page);
    int at = PageFile.offset(page, location) + index * Integer.BYTES;
    return OrderedAccess.intAt(file.buffer(page, location), at);
  }

  private long leafAtOrAfter(int page, int level, long from) {
    if (level == 0) {
      return from == 0 ? 0 : -1;
    }
    long span = span(level - 1);
    for (long index = from / span; index < CHILDREN; index++) {
      int child = child(page, (int) index);
      if (child != 0) {
        long rest = Math.max(0, from - index * span);
        long leaf = leafAtOrAfter(child, level - 1, rest);
        if (leaf >= 0) {
          return index * span + leaf;
        }
      }
    }
    return -1;
  }

  private long leafAtOrBefore(int page, int level, long from) {
    if (level == 0) {
      return 0;
    }
    long span = span(level - 1);
    for (long index = Math.min(from / span, CHILDREN - 1); index >= 0; index--) {
      int child = child(page, (int) index);
      if (child != 0) {
        long rest = Math.min(span - 1, from - index * span);
        long leaf = leafAtOrBefore(child, level - 1, rest);
        if (leaf >= 0) {
          return index * span + leaf;
        }
      }
    }
    return -1;
  }

  private void store(long id, long position) {
    long leaf = id / SLOTS;
    int page = position == 0 ? leafPage(leaf) : obtainLeaf(leaf);
    if (page != 0) {
      int location = file.locateForWrite(page);
      ByteBuffer buffer = file.buffer(page, location);
      int base = PageFile.offset(page, location);
      int at = base + (int) (id % SLOTS) * Long.BYTES;
      int change = (position == 0 ? 0 : 1) - (buffer.getLong(at) == 0 ? 0 : 1);
      OrderedAccess.putLong(buffer, at, position);
      int live = buffer.getInt(base + LIVE_AT) + change;
      buffer.putInt(base + LIVE_AT, live);
      count = count + change; // volatile for readers; there is one writer
      if (live == 0 && change < 0 && level(root) > 0) {
        exclusively(() -> drop((int) root, level(root), leaf));
      }
    }
    if (id > highestId) {
      highestId = id;
    }
  }

  /** The slot page with this number, made if need be. */
  private int obtainLeaf(long leaf) {
    if (root == 0) {
      root = newPage();
    }
    while (leaf >= span(level(root))) {
      raise();
    }
    int page = (int) root;
    for (int level = level(root); level > 0; level--) {
      int index = (int) (leaf / span(level - 1) % CHILDREN);
      int child = child(page, index);
      if (child == 0) {
        child = newPage();
        link(page, index, child);
      }
      page = child;
    }
    return page;
  }

  /** Puts a directory above the root. */
  private void raise() {
    int level = level(root) + 1;
    if (level > LEVELS_MAX) {
      throw new IllegalStateException("too many records: " + file.path());
    }
    int page = newPage();
    link(page, 0, (int) root);
    root = (long) level << Integer.SIZE | page;
  }

  private int newPage() {
    int page = file.allocate();
    int location = file.locateForWrite(page);
    file.buffer(page, location)
        .put(PageFile.offset(page, location), new byte[PageFile.PAGE_SIZE], 0, PageFile.PAGE_SIZE);
    return page;
  }

  /** Changes a directory entry; returns how many entries it has then. */
  private int link(int page, int index, int child) {
    int location = file.locateForWrite(page);
    ByteBuffer buffer = file.buffer(page, location);
    int base = PageFile.offset(page, location);
    OrderedAccess.putInt(buffer, base + index * Integer.BYTES, child);
    int live = buffer.getInt(base + LIVE_AT) + (child == 0 ? -1 : 1);
    buffer.putInt(base + LIVE_AT, live);
    return live;
  }

  /**
   * Frees an empty slot page and the directories that become empty with it; true if all below did.
   */
  private boolean drop(int page, int level, long leaf) {
    if (level > 0) {
      long span = span(level - 1);
      int index = (int) (leaf / span % CHILDREN);
      if (!drop(child(page, index), level - 1, leaf) || link(page, index, 0) > 0) {
        return false;
      }
    }
    if (page == (int) root) {
      root = 0;
    }
    file.free(page);
    return true;
  }

  private void exclusively(Runnable change) {
    synchronized (writer) {
      long stamp = structure.writeLock();
      try {
        change.run();
      } finally {
        structure.unlockWrite(stamp);
      }
    }
  }

  private static int level(long top) {
    return (int) (top >>> Integer.SIZE);
  }

  /** How many slot pages hang below a page of this level. */
  private static long span(int level) {
    long span = 1;
    for (int i = 0; i < level; i++) {
      span *= CHILDREN;
    }
    return span;
  }
}
