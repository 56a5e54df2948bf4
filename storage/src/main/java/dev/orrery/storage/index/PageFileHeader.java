package dev.orrery.storage.index;

import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Page 0 of an image: which structure this is, how far it reaches, and the roots of its content.
 *
 * <p>Big-endian: magic (8), format version (4), page size (4), kind (4), page count (4), first free
 * page (4), free pages (4), checkpoint number (8), log sequence number (8), eight root fields (8
 * each), the {@link FileOwner} (24); the rest is zero up to the page's checksum.
 */
record PageFileHeader(PageFileKind kind, int pageCount, FreeList free, Stamp stamp, long[] fields) {
  static final long MAGIC = 0x4f52_5259_5041_4745L; // "ORRYPAGE"
  static final int VERSION = 1;
  static final int FIELDS = 8;

  private static final int FIELDS_AT = 48;
  private static final int OWNER_AT = FIELDS_AT + FIELDS * Long.BYTES;

  /** The free pages, linked through their first four bytes. */
  record FreeList(int head, int count) {}

  /** Which checkpoint this is: its number, the log position it contains, and whose it is. */
  record Stamp(long sequence, long lsn, FileOwner owner) {}

  static PageFileHeader empty(PageFileKind kind) {
    var never = new Stamp(0, 0, FileOwner.NONE);
    return new PageFileHeader(kind, 1, new FreeList(0, 0), never, new long[FIELDS]);
  }

  /** The page's bytes, without the checksum. */
  ByteBuffer encode() {
    ByteBuffer page = ByteBuffer.allocate(PageFile.PAGE_SIZE);
    page.putLong(MAGIC).putInt(VERSION).putInt(PageFile.PAGE_SIZE).putInt(kind.code());
    page.putInt(pageCount).putInt(free.head()).putInt(free.count());
    page.putLong(stamp.sequence()).putLong(stamp.lsn());
    for (long field : fields) {
      page.putLong(field);
    }
    stamp.owner().put(page);
    return page;
  }

  /** Reads a page whose checksum has been verified. */
  static PageFileHeader decode(ByteBuffer page, PageFileKind kind, Path file) {
    require(page.getLong(0) == MAGIC, file, "no page file (bad magic)");
    require(page.getInt(8) == VERSION, file, "unknown format version " + page.getInt(8));
    require(page.getInt(12) == PageFile.PAGE_SIZE, file, "page size " + page.getInt(12));
    require(page.getInt(16) == kind.code(), file, "not of kind " + kind);
    long[] fields = new long[FIELDS];
    for (int i = 0; i < FIELDS; i++) {
      fields[i] = page.getLong(FIELDS_AT + Long.BYTES * i);
    }
    return new PageFileHeader(
        kind,
        page.getInt(20),
        new FreeList(page.getInt(24), page.getInt(28)),
        new Stamp(
            page.getLong(32), page.getLong(40), FileOwner.get(page.duplicate().position(OWNER_AT))),
        fields);
  }

  private static void require(boolean condition, Path file, String problem) {
    if (!condition) {
      throw PageFileImage.corrupt(file, 0, problem);
    }
  }
}
