package dev.orrery.storage.index;

import java.nio.ByteBuffer;

/**
 * One entry on its way into a page: the bytes of its key that go inline, where the rest is, its
 * record id and, in an inner page, its child. Reused, as one is needed for each write.
 */
final class BTreeEntry {
  byte[] bytes;
  int from;
  int inlineLength;
  int overflowPage;
  int overflowLength;
  long id;
  int child;

  /** Describes a key that fits a page. */
  BTreeEntry set(byte[] key, long recordId, int childPage) {
    bytes = key;
    from = 0;
    inlineLength = key.length;
    overflowPage = 0;
    overflowLength = 0;
    id = recordId;
    child = childPage;
    return this;
  }

  boolean startsWith(ByteBuffer buffer, int at, int length) {
    if (inlineLength < length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (buffer.get(at + i) != bytes[from + i]) {
        return false;
      }
    }
    return true;
  }

  int cellBytes(int prefix, boolean isInner) {
    int suffix = inlineLength - prefix;
    return (isInner ? Integer.BYTES : 0)
        + (suffix < 64 ? 1 : 2)
        + suffix
        + (overflowPage == 0 ? 0 : 2 * Integer.BYTES)
        + varintBytes(id + 1);
  }

  void writeCell(ByteBuffer buffer, int start, int prefix, boolean isInner) {
    int at = start;
    if (isInner) {
      buffer.putInt(at, child);
      at += Integer.BYTES;
    }
    int suffix = inlineLength - prefix;
    int head = suffix << 1 | (overflowPage == 0 ? 0 : 1);
    if (head < 128) {
      buffer.put(at++, (byte) head);
    } else {
      buffer.putShort(at, (short) (head | 0x8000));
      at += Short.BYTES;
    }
    buffer.put(at, bytes, from + prefix, suffix);
    at += suffix;
    if (overflowPage != 0) {
      buffer.putInt(at, overflowPage).putInt(at + Integer.BYTES, overflowLength);
      at += 2 * Integer.BYTES;
    }
    writeVarint(buffer, at, id + 1);
  }

  /** The length is the number of leading one bits of the first byte, plus one. */
  static int varintBytes(long value) {
    int bits = Long.SIZE - Long.numberOfLeadingZeros(value | 1);
    return bits > 56 ? 9 : (bits + 6) / 7;
  }

  private static void writeVarint(ByteBuffer buffer, int at, long value) {
    int bytes = varintBytes(value);
    long rest = value;
    for (int i = bytes - 1; i >= 0; i--) {
      buffer.put(at + i, (byte) rest);
      rest >>>= 8;
    }
    if (bytes > 1) {
      int marker = 0xff00 >> (bytes - 1);
      buffer.put(at, (byte) (buffer.get(at) | marker));
    }
  }
}
