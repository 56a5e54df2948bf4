package dev.orrery.wire;

import dev.orrery.value.LittleEndian;

/** The well-formed byte sequences of the Unicode standard, table 3-7. */
final class Utf8 {
  /** The highest bit of each of eight bytes, which ASCII leaves zero. */
  static final long NON_ASCII = 0x8080_8080_8080_8080L;

  private Utf8() {}

  static void requireValid(byte[] bytes, int from, int to) {
    int at = from;
    while (at <= to - 4 * Long.BYTES && isAscii(bytes, at)) {
      at += 4 * Long.BYTES;
    }
    while (at <= to - Long.BYTES && (LittleEndian.int64(bytes, at) & NON_ASCII) == 0) {
      at += Long.BYTES;
    }
    if (to - at < Long.BYTES && to - from >= Long.BYTES) {
      // The last bytes once more with some before them: all at a time.
      at = (LittleEndian.int64(bytes, to - Long.BYTES) & NON_ASCII) == 0 ? to : at;
    }
    while (at < to) {
      at = bytes[at] >= 0 ? at + 1 : sequenceEnd(bytes, at, to);
    }
  }

  private static boolean isAscii(byte[] bytes, int at) {
    long any =
        LittleEndian.int64(bytes, at)
            | LittleEndian.int64(bytes, at + 8)
            | LittleEndian.int64(bytes, at + 16)
            | LittleEndian.int64(bytes, at + 24);
    return (any & NON_ASCII) == 0;
  }

  /** The end of the sequence of two to four bytes that starts at {@code at}. */
  private static int sequenceEnd(byte[] bytes, int at, int to) {
    int lead = bytes[at] & 0xff;
    int length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead < 0xc2 || lead > 0xf4 || to - at < length) {
      throw invalid();
    }
    int second = bytes[at + 1] & 0xff;
    // The second byte excludes overlong forms, surrogates and what lies past U+10FFFF.
    int lowest = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    int highest = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (second < lowest || second > highest) {
      throw invalid();
    }
    for (int i = at + 2; i < at + length; i++) {
      if ((bytes[i] & 0xc0) != 0x80) {
        throw invalid();
      }
    }
    return at + length;
  }

  private static WireException invalid() {
    return new WireException("a string is not valid UTF-8");
  }
}
