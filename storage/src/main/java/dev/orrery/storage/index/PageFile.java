package dev.orrery.storage.index;

import dev.orrery.storage.StorageException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * An array of numbered pages with checkpoints. Unchanged pages are read from the mapped image of
 * the last checkpoint, changed ones live in frames of a {@link PageFilePool} until the next.
 *
 * <p>One thread at a time may change it, freeze it or settle a checkpoint, and readers must be held
 * off (or told to try again) while a page is freed or a checkpoint settled; the structure on top
 * has the lock. Page 0 is the header, so 0 also means "no page".
 */
final class PageFile {
  private static final int VERIFIED_PAGES = 256;

  static final int PAGE_SHIFT = 12;
  static final int PAGE_SIZE = 1 << PAGE_SHIFT;

  /** Bytes of a page that its owner may use; the page's checksum follows. */
  static final int LIMIT = PAGE_SIZE - Integer.BYTES;

  private static final int VERIFIED = -1; // in the image, checksum seen
  private static final int UNVERIFIED = -2; // in the image, not yet looked at
  private static final VarHandle ENTRY = MethodHandles.arrayElementVarHandle(int[].class);

  private final Path path;
  private final PageFilePool pool;
  private final PageFileKind kind;
  private final FileOwner owner;
  private final PageFileImage image;
  private final long[] fields;
  private volatile int[] table; // page -> frame, or where in the image
  private long[] dirty; // pages that differ from the last frozen state
  private long[] frozen; // pages whose frame belongs to the checkpoint under way
  private int pageCount;
  private int freeHead;
  private int freeCount;
  private int dirtyCount;
  private long sequence;
  private boolean isClosed;

  private PageFile(
      Path path, PageFilePool pool, PageFileKind kind, FileOwner owner, PageFileImage image) {
    this.path = path;
    this.pool = pool;
    this.kind = kind;
    this.owner = owner;
    this.image = image;
    PageFileHeader header = image.header();
    this.fields = header.fields().clone();
    this.pageCount = header.pageCount();
    this.freeHead = header.free().head();
    this.freeCount = header.free().count();
    this.sequence = header.stamp().sequence();
    int capacity = Math.max(2, pageCount);
    this.table = new int[capacity];
    Arrays.fill(table, UNVERIFIED);
    this.dirty = new long[words(capacity)];
    this.frozen = new long[words(capacity)];
  }

  /**
   * Opens the last complete checkpoint, or an empty file that exists from its first checkpoint on.
   *
   * @param owner who must have written it, unless nobody knows who did
   */
  static PageFile open(
      Path path, PageFileKind kind, FileOwner owner, PageFilePool pool, boolean isDurable) {
    PageFileImage image = PageFileImage.open(path, kind, owner, isDurable);
    var file = new PageFile(path, pool, kind, owner, image);
    if (file.image.isSmall()) {
      ByteBuffer content = file.image.readSmall();
      for (int page = 1; page < file.pageCount; page++) {
        int frame = pool.acquire();
        pool.buffer(frame).put(PageFilePool.offset(frame), content, page << PAGE_SHIFT, PAGE_SIZE);
        file.table[page] = frame;
      }
    }
    return file;
  }

  /** An empty file in the place of one that cannot be used. */
  static PageFile openEmpty(
      Path path, PageFileKind kind, FileOwner owner, PageFilePool pool, boolean isDurable) {
    return new PageFile(path, pool, kind, owner, PageFileImage.empty(path, kind, isDurable));
  }

  /** The log position of the last durable checkpoint; 0 if there was none. */
  long lsn() {
    return image.header().stamp().lsn();
  }

  /** Whose the last durable checkpoint says it is. */
  FileOwner savedOwner() {
    return image.header().stamp().owner();
  }

  Path path() {
    return path;
  }

  long field(int index) {
    return fields[index];
  }

  void field(int index, long value) {
    fields[index] = value;
  }

  int pageCount() {
    return pageCount;
  }

  int freePages() {
    return freeCount;
  }

  long dirtyBytes() {
    return (long) dirtyCount << PAGE_SHIFT;
  }

  /** Where a page is now: an argument for {@link #buffer} and {@link #offset}. */
  int locate(int page) {
    int[] entries = table;
    if (page <= 0 || page >= entries.length) {
      requireOpen();
      throw PageFileImage.corrupt(path, (long) page << PAGE_SHIFT, "no such page: " + page);
    }
    int entry = (int) ENTRY.getAcquire(entries, page);
    if (entry == UNVERIFIED) {
      image.verify(page);
      // Not a plain store: a writer may have given the page a frame in between.
      ENTRY.compareAndSet(entries, page, UNVERIFIED, VERIFIED);
      entry = (int) ENTRY.getAcquire(entries, page);
    }
    return entry;
  }

  ByteBuffer buffer(int page, int location) {
    return location >= 0 ? pool.buffer(location) : image.buffer(page);
  }

  static int offset(int page, int location) {
    return location >= 0 ? PageFilePool.offset(location) : PageFileImage.offset(page);
  }

  /** Like {@link #locate}, for a page that is about to be changed. */
  int locateForWrite(int page) {
    if (isSet(dirty, page)) {
      return table[page];
    }
    int location = locate(page);
    if (location < 0 || isSet(frozen, page)) {
      int frame = pool.acquire();
      pool.buffer(frame)
          .put(
              PageFilePool.offset(frame),
              buffer(page, location),
              offset(page, location),
              PAGE_SIZE);
      ENTRY.setRelease(table, page, frame);
      clear(frozen, page);
      location = frame;
    }
    markDirty(page);
    return location;
  }

  /** A page with arbitrary content, ready to be changed. */
  int allocate() {
    if (freeHead != 0) {
      int page = freeHead;
      int location = locateForWrite(page);
      freeHead = buffer(page, location).getInt(offset(page, location));
      freeCount--;
      return page;
    }
    if (pageCount == table.length) {
      grow();
    }
    int page = pageCount++;
    ENTRY.setRelease(table, page, pool.acquire());
    markDirty(page);
    return page;
  }

  void free(int page) {
    int location = locateForWrite(page);
    buffer(page, location).putInt(offset(page, location), freeHead);
    freeHead = page;
    freeCount++;
  }

  /** Takes the present state as a checkpoint; at most one may be under way. */
  PageFileCheckpoint freeze(long lsn) {
    requireOpen();
    sequence++;
    var header =
        new PageFileHeader(
            kind,
            pageCount,
            new PageFileHeader.FreeList(freeHead, freeCount),
            new PageFileHeader.Stamp(sequence, lsn, owner),
            fields.clone());
    boolean isWhole = image.isSmall();
    int[] pages = new int[isWhole ? pageCount - 1 : dirtyCount];
    int[] frames = new int[pages.length];
    int count = 0;
    for (int page = 1; count < pages.length; page = isWhole ? page + 1 : next(dirty, page + 1)) {
      if (isWhole || isSet(dirty, page)) {
        pages[count] = page;
        frames[count++] = table[page];
        set(frozen, page);
      }
    }
    Arrays.fill(dirty, 0);
    dirtyCount = 0;
    return new PageFileCheckpoint(pool, header, pages, frames);
  }

  /** The slow part of a checkpoint; needs no lock. */
  void write(PageFileCheckpoint checkpoint) {
    image.write(checkpoint);
  }

  /** After {@link #write}: reads go to the new image, and the frames are free again. */
  void settle(PageFileCheckpoint checkpoint) {
    image.adopt(checkpoint.header());
    boolean isResident = image.isSmall();
    for (int i = 0; i < checkpoint.size(); i++) {
      int page = checkpoint.page(i);
      if (!isSet(frozen, page)) {
        pool.release(checkpoint.frame(i)); // copied meanwhile
      } else {
        clear(frozen, page);
        if (!isResident) {
          ENTRY.setRelease(table, page, VERIFIED);
          pool.release(checkpoint.frame(i));
        }
      }
    }
  }

  /** After a failed {@link #write}: everything is dirty again, the next checkpoint repeats it. */
  void abandon(PageFileCheckpoint checkpoint) {
    for (int i = 0; i < checkpoint.size(); i++) {
      int page = checkpoint.page(i);
      if (isSet(frozen, page)) {
        clear(frozen, page);
        markDirty(page);
      } else {
        pool.release(checkpoint.frame(i));
      }
    }
  }

  /** Gives the frames back; what was not checkpointed is lost. */
  void close() {
    if (!isClosed) {
      isClosed = true;
      int[] entries = table;
      table = new int[0];
      for (int page = 1; page < pageCount; page++) {
        if (entries[page] >= 0) {
          pool.release(entries[page]);
        }
      }
    }
  }

  /** Closes, and removes the files. */
  void delete() {
    close();
    image.delete();
  }

  /**
   * Reads some pages of the image, those that are not in memory; throws at the first bad checksum.
   * Returns the page to go on with, 0 at the end: the caller lets others in between.
   */
  int verify(int from) {
    int end = Math.min(pageCount, from + VERIFIED_PAGES);
    for (int page = from; page < end; page++) {
      if (table[page] < 0) {
        image.verify(page);
        ENTRY.compareAndSet(table, page, UNVERIFIED, VERIFIED);
      }
    }
    return end < pageCount ? end : 0;
  }

  private void requireOpen() {
    if (isClosed) {
      throw new StorageException(StorageException.Reason.UNAVAILABLE, path + " is closed");
    }
  }

  private void grow() {
    requireOpen();
    int capacity = Math.max(16, pageCount + (pageCount >> 1));
    int[] larger = Arrays.copyOf(table, capacity);
    Arrays.fill(larger, pageCount, capacity, UNVERIFIED);
    dirty = Arrays.copyOf(dirty, words(capacity));
    frozen = Arrays.copyOf(frozen, words(capacity));
    table = larger;
  }

  private void markDirty(int page) {
    if (!isSet(dirty, page)) {
      set(dirty, page);
      dirtyCount++;
    }
  }

  private static int words(int bits) {
    return (bits + Long.SIZE - 1) / Long.SIZE;
  }

  private static boolean isSet(long[] bits, int index) {
    return (bits[index >> 6] & 1L << index) != 0;
  }

  private static void set(long[] bits, int index) {
    bits[index >> 6] |= 1L << index;
  }

  private static void clear(long[] bits, int index) {
    bits[index >> 6] &= ~(1L << index);
  }

  /** The first set bit at or after {@code from}; the caller knows that there is one. */
  private static int next(long[] bits, int from) {
    int word = from >> 6;
    if (word >= bits.length) {
      return from;
    }
    long rest = bits[word] & -1L << from;
    while (rest == 0 && ++word < bits.length) {
      rest = bits[word];
    }
    return rest == 0 ? from : (word << 6) + Long.numberOfTrailingZeros(rest);
  }
}
