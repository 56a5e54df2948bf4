package dev.orrery.storage.postgres;

import java.util.Arrays;

/**
 * A key of an index as rows have it: a B-tree takes no more than some 2,700 bytes, so what stands
 * behind the first 1,024 is kept beside it. Keys that are that long sort among themselves by their
 * tails, which no index knows.
 */
record LongKey(byte[] head, byte[] tail) {
  static final int HEAD_BYTES = 1024;

  private static final byte[] NOTHING = {};

  static LongKey of(byte[] key) {
    return isLong(key)
        ? new LongKey(
            Arrays.copyOf(key, HEAD_BYTES), Arrays.copyOfRange(key, HEAD_BYTES, key.length))
        : new LongKey(key, NOTHING);
  }

  /** Whether a key, or the head of one, is one of those whose order the index does not know. */
  static boolean isLong(byte[] key) {
    return key.length >= HEAD_BYTES;
  }

  byte[] whole() {
    if (tail.length == 0) {
      return head;
    }
    byte[] whole = Arrays.copyOf(head, head.length + tail.length);
    System.arraycopy(tail, 0, whole, head.length, tail.length);
    return whole;
  }
}
