package dev.orrery.storage.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Records to be appended as one atomic group, in order. Arrays are kept, not copied: they must not
 * change before the append returns. Not thread-safe.
 */
public final class RecordGroup {

  public static final int PAYLOAD_BYTES_MAX = 17 << 20;
  public static final int META_BYTES_MAX = 1 << 20;
  public static final int GROUP_BYTES_MAX = 1 << 30;

  private static final byte[] EMPTY = new byte[0];

  /** The version of a record that is no copy: that of its group. */
  static final long OWN = 0;

  /** A record whose payload is a part of a larger array. */
  record Entry(byte kind, long versionLsn, byte[] meta, byte[] source, int offset, int length) {
    int encodedBytes() {
      return Format.RECORD_HEADER_BYTES + meta.length + length;
    }
  }

  private final List<Entry> entries = new ArrayList<>();
  private long bodyBytes;

  public RecordGroup add(byte kind, byte[] meta) {
    return add(kind, meta, EMPTY, 0, 0);
  }

  public RecordGroup add(byte kind, byte[] meta, byte[] payload) {
    return add(kind, meta, payload, 0, payload.length);
  }

  /** Adds a record whose payload is {@code length} bytes of {@code source} from {@code offset}. */
  public RecordGroup add(byte kind, byte[] meta, byte[] source, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, source.length);
    return add(new Entry(kind, OWN, meta, source, offset, length));
  }

  /** Adds a copy of a record that brought the same version before. */
  public RecordGroup addCopy(byte kind, byte[] meta, byte[] payload, long versionLsn) {
    if (versionLsn <= OWN) {
      throw new IllegalArgumentException("LSNs start at 1: " + versionLsn);
    }
    return add(new Entry(kind, versionLsn, meta, payload, 0, payload.length));
  }

  private RecordGroup add(Entry entry) {
    requireAtMost("payload", entry.length(), PAYLOAD_BYTES_MAX);
    requireAtMost("meta", entry.meta().length, META_BYTES_MAX);
    requireAtMost("group", encodedBytes() + entry.encodedBytes(), GROUP_BYTES_MAX);
    entries.add(entry);
    bodyBytes += entry.encodedBytes();
    return this;
  }

  private static void requireAtMost(String what, long bytes, long bytesMax) {
    if (bytes > bytesMax) {
      throw new IllegalArgumentException(what + " of " + bytes + " bytes, limit is " + bytesMax);
    }
  }

  public int size() {
    return entries.size();
  }

  /** What the group will occupy in the log, its header included. */
  public long encodedBytes() {
    return Format.GROUP_HEADER_BYTES + bodyBytes;
  }

  List<Entry> entries() {
    return entries;
  }
}
