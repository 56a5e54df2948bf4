package dev.orrery.server.command;

import dev.orrery.value.LittleEndian;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawValue;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The names that commands are made of, as strings: fields, databases, collections. Requests repeat
 * them, so most are found here instead of being decoded, and a string that is found remembers its
 * hash.
 *
 * <p>A table without chains: a name takes the place of whatever hashed to the same slot. Threads
 * share it without locks, because entries are immutable and a lost one is only decoded again.
 */
public final class NameCache {
  private static final int SLOT_BITS = 10;

  /** Longer names are rare, and are not worth being kept. */
  private static final int NAME_BYTES_MAX = 64;

  private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L; // the golden ratio's bits

  private final Entry[] slots = new Entry[1 << SLOT_BITS];

  /**
   * @param start the first eight bytes, or as many as there are
   * @param end the last eight bytes, or how many there are: most names are known by these two
   */
  record Entry(long start, long end, byte[] utf8, String text, int hash) {
    boolean is(long otherStart, long otherEnd, byte[] bytes, int from, int length) {
      return start == otherStart
          && end == otherEnd
          && utf8.length == length
          && (length <= 2 * Long.BYTES
              || Arrays.equals(utf8, 0, length, bytes, from, from + length));
    }
  }

  /** The name of the element that the cursor stands on, with its hash. */
  Entry name(RawElements element, byte[] bytes) {
    return entry(bytes, element.nameOffset(), element.nameLength());
  }

  /** The text of a value that is a string. */
  String text(RawValue string) {
    int length = LittleEndian.int32(string.bytes(), string.offset()) - 1;
    return entry(string.bytes(), string.offset() + Integer.BYTES, length).text;
  }

  private Entry entry(byte[] bytes, int from, int length) {
    if (length > NAME_BYTES_MAX) {
      return entry(0, 0, Arrays.copyOfRange(bytes, from, from + length));
    }
    long start = word(bytes, from, Math.min(length, Long.BYTES));
    long end =
        length <= Long.BYTES ? length : LittleEndian.int64(bytes, from + length - Long.BYTES);
    int slot = (int) ((start * 31 + end) * MULTIPLIER >>> Long.SIZE - SLOT_BITS);
    Entry entry = slots[slot];
    if (entry == null || !entry.is(start, end, bytes, from, length)) {
      entry = entry(start, end, Arrays.copyOfRange(bytes, from, from + length));
      slots[slot] = entry;
    }
    return entry;
  }

  private static Entry entry(long start, long end, byte[] utf8) {
    var text = new String(utf8, StandardCharsets.UTF_8);
    return new Entry(start, end, utf8, text, text.hashCode());
  }

  /** Up to eight bytes as a number, with zeros for those that are missing. */
  private static long word(byte[] bytes, int from, int length) {
    if (from <= bytes.length - Long.BYTES) { // as it nearly always is: a document goes on
      int unused = Long.SIZE - length * Byte.SIZE;
      return length == 0 ? 0 : LittleEndian.int64(bytes, from) << unused >>> unused;
    }
    long word = 0;
    for (int i = length - 1; i >= 0; i--) {
      word = word << Byte.SIZE | bytes[from + i] & 0xff;
    }
    return word;
  }
}
