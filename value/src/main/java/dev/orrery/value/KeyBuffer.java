package dev.orrery.value;

import java.util.Arrays;

/** The growing array that {@link KeyEncoder} writes keys to. */
final class KeyBuffer {
  /** Ends every text; content never holds it. */
  static final int TERMINATOR = 0x00;

  static final int ESCAPE = 0x01;

  private byte[] bytes;
  private int length;

  KeyBuffer(int initialBytes) {
    this.bytes = new byte[initialBytes];
  }

  int length() {
    return length;
  }

  void truncate(int newLength) {
    length = newLength;
  }

  byte[] toByteArray() {
    return Arrays.copyOf(bytes, length);
  }

  void writeByte(int value) {
    reserve(1);
    bytes[length++] = (byte) value;
  }

  void writeInt32(int value) {
    reserve(4);
    BigEndian.putInt32(bytes, length, value);
    length += 4;
  }

  void writeInt64(long value) {
    reserve(8);
    BigEndian.putInt64(bytes, length, value);
    length += 8;
  }

  /** The lowest {@code count} bytes of a number, highest first. */
  void writeLowBytes(long value, int count) {
    reserve(count);
    for (int i = count - 1; i >= 0; i--) {
      bytes[length++] = (byte) (value >>> (8 * i));
    }
  }

  void writeBytes(byte[] source, int offset, int count) {
    reserve(count);
    System.arraycopy(source, offset, bytes, length, count);
    length += count;
  }

  /**
   * Bytes of any value, in a form that ends by itself: 00 becomes 01 01, 01 becomes 01 02, and 00
   * ends it. So a prefix orders before what it begins, whatever follows in the key.
   */
  void writeText(byte[] source, int offset, int count) {
    int escapes = 0;
    for (int i = offset; i < offset + count; i++) {
      escapes += (source[i] & 0xFE) == 0 ? 1 : 0;
    }
    reserve(count + escapes + 1);
    if (escapes == 0) {
      System.arraycopy(source, offset, bytes, length, count);
      length += count;
    } else {
      writeEscaped(source, offset, count);
    }
    bytes[length++] = TERMINATOR;
  }

  private void writeEscaped(byte[] source, int offset, int count) {
    for (int i = offset; i < offset + count; i++) {
      byte b = source[i];
      if (b == 0 || b == 1) {
        bytes[length++] = ESCAPE;
        b++;
      }
      bytes[length++] = b;
    }
  }

  /** Turns the order of everything from {@code start} on around. */
  void complementFrom(int start) {
    for (int i = start; i < length; i++) {
      bytes[i] = (byte) ~bytes[i];
    }
  }

  private void reserve(int count) {
    int needed = Math.addExact(length, count);
    if (needed > bytes.length) {
      int doubled = (int) Math.min(Integer.MAX_VALUE - 8L, bytes.length * 2L);
      bytes = Arrays.copyOf(bytes, Math.max(needed, doubled));
    }
  }
}
