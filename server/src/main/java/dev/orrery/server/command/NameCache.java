package dev.orrery.server.command;

import dev.orrery.storage.value.LittleEndian;
import dev.orrery.storage.value.RawElements;
import dev.orrery.storage.value.RawValue;
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
final class NameCache {
  private static final int SLOTS = 1024;

  /** Longer names are rare, and are not worth being kept. */
  private static final int NAME_BYTES_MAX = 64;

  private final Entry[] slots = new Entry[SLOTS];

  private record Entry(byte[] utf8, String text) {}

  /** The name of the element that the cursor stands on. */
  String name(RawElements element, byte[] bytes) {
    return text(bytes, element.nameOffset(), element.nameLength());
  }

  /** The text of a value that is a string. */
  String text(RawValue string) {
    int length = LittleEndian.int32(string.bytes(), string.offset()) - 1;
    return text(string.bytes(), string.offset() + Integer.BYTES, length);
  }

  private String text(byte[] bytes, int from, int length) {
    if (length > NAME_BYTES_MAX) {
      return new String(bytes, from, length, StandardCharsets.UTF_8);
    }
    int hash = length;
    for (int i = from; i < from + length; i++) {
      hash = 31 * hash + bytes[i];
    }
    int slot = (hash ^ hash >>> 15) & SLOTS - 1;
    Entry entry = slots[slot];
    if (entry == null
        || !Arrays.equals(entry.utf8, 0, entry.utf8.length, bytes, from, from + length)) {
      byte[] utf8 = Arrays.copyOfRange(bytes, from, from + length);
      entry = new Entry(utf8, new String(utf8, StandardCharsets.UTF_8));
      slots[slot] = entry;
    }
    return entry.text;
  }
}
