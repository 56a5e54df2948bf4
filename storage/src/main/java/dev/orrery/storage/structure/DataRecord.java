package dev.orrery.storage.structure;

import dev.orrery.storage.Change;
import dev.orrery.value.LittleEndian;
import org.jspecify.annotations.Nullable;

/**
 * What a log record says besides the document itself: which collection and record it is about, and
 * where the version before it lies. With that, every index can be brought up to date from the log
 * alone, and doing it twice does no harm.
 *
 * <pre>
 * meta:    collection int32 | record id int64 | position of the previous version int64, 0 if none
 *          then, of INSERT, REPLACE, DELETE and STEP, what the write took:
 *          bytes before int32 | index entries int32 | unique indexes int32
 * payload: INSERT, REPLACE, MOVE: the document; DELETE: partition key (if any) and _id;
 *          CATALOG: what changed, see {@link CatalogRecord}
 * </pre>
 *
 * DELTA and BEFORE stand behind all documents of their group, for followers of changes only; their
 * meta is the place (int32) of the document in the group that they are about, their payload what
 * its writer said of the difference, and the document as it was. STEP stands before these, behind
 * the documents: it tells followers one of several changes that came to what the group's documents
 * of the same collection are. Its record id is the kind of change.
 *
 * <p>A MOVE is the same version at another place, written by compaction; its previous position is
 * the place it was copied from.
 */
public record DataRecord(int collection, long recordId, long previous) {
  public static final byte INSERT = 1;
  public static final byte REPLACE = 2;
  public static final byte DELETE = 3;
  public static final byte MOVE = 4;
  public static final byte CATALOG = 5;
  public static final byte DELTA = 6;
  public static final byte BEFORE = 7;
  public static final byte STEP = 8;

  public static final int META_BYTES = 20;
  private static final int EFFORT_BYTES = 3 * Integer.BYTES;

  /** Whether a record of that kind brings, moves or ends a document. */
  public static boolean isOfDocument(byte kind) {
    return kind >= INSERT && kind <= MOVE;
  }

  /** Whether a meta part of that length is one of a document; older ones do not tell the effort. */
  public static boolean isMetaOfDocument(int metaBytes) {
    return metaBytes == META_BYTES || metaBytes == META_BYTES + EFFORT_BYTES;
  }

  /** The meta part of what is told beside the document at that place of the group. */
  public static byte[] besides(int index) {
    byte[] meta = new byte[Integer.BYTES];
    LittleEndian.putInt32(meta, 0, index);
    return meta;
  }

  public byte[] meta() {
    return meta(META_BYTES);
  }

  /** The meta part with what the write took. */
  public byte[] meta(Change.Effort effort) {
    byte[] meta = meta(META_BYTES + EFFORT_BYTES);
    LittleEndian.putInt32(meta, META_BYTES, effort.bytesBefore());
    LittleEndian.putInt32(meta, META_BYTES + Integer.BYTES, effort.terms());
    LittleEndian.putInt32(meta, META_BYTES + 2 * Integer.BYTES, effort.uniqueIndexes());
    return meta;
  }

  /** What the write took, of a meta part of that length; null when it does not tell. */
  public static Change.@Nullable Effort effort(byte[] source, int offset, int length) {
    if (length < META_BYTES + EFFORT_BYTES) {
      return null;
    }
    int at = offset + META_BYTES;
    return new Change.Effort(
        LittleEndian.int32(source, at),
        LittleEndian.int32(source, at + Integer.BYTES),
        LittleEndian.int32(source, at + 2 * Integer.BYTES));
  }

  private byte[] meta(int length) {
    byte[] meta = new byte[length];
    LittleEndian.putInt32(meta, 0, collection);
    LittleEndian.putInt64(meta, 4, recordId);
    LittleEndian.putInt64(meta, 12, previous);
    return meta;
  }

  public static DataRecord of(byte[] source, int offset) {
    return new DataRecord(
        LittleEndian.int32(source, offset),
        LittleEndian.int64(source, offset + 4),
        LittleEndian.int64(source, offset + 12));
  }
}
