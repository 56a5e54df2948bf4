package dev.orrery.storage.keyindex;

import dev.orrery.storage.StorageException;
import java.util.Arrays;
import java.util.function.BiConsumer;

/**
 * The entries of a small index: a hash table in two arrays on the heap, no file.
 *
 * <p>A Chronicle Map costs some milliseconds to make, a file and a mapping, so it pays only from
 * some thousand entries on. Up to there this takes less memory than the map would.
 */
/*
 * A slot holds the upper half of an entry's hash and, in its lower half, where the entry begins in
 * the bytes; 0 is a free slot. The upper half says where an entry would like to be: the first free
 * slot from there on is its own, and a removal moves the ones behind it back, so that no search
 * passes a gap. Bytes of removed entries stay until there is no room, then all live entries are
 * copied to new arrays.
 */
final class KeyIndexHeap implements KeyIndexEntries {
  /** Bounds what an index takes on the heap when keys are long. */
  static final int KEY_BYTES_MAX = 256 * 1024;

  /** The same where the heap is all there is. */
  private static final int ALL_KEY_BYTES_MAX = 512 << 20;

  private static final int SLOTS_MIN = 8;
  private static final int LENGTH_BYTES = Short.BYTES;
  private static final long OFFSET = 0xffff_ffffL;
  private static final int FIRST_ENTRY = 1; // 0 would be a free slot

  private final int entriesMax;
  private final int keyBytesMax;
  private final int valueBytes;
  private long[] slots = new long[SLOTS_MIN];
  private byte[] bytes = new byte[FIRST_ENTRY];
  private int end = FIRST_ENTRY;
  private int size;
  private int keyBytes;

  KeyIndexHeap(int entriesMax, int valueBytes) {
    this.entriesMax = entriesMax;
    this.keyBytesMax = entriesMax == Integer.MAX_VALUE ? ALL_KEY_BYTES_MAX : KEY_BYTES_MAX;
    this.valueBytes = valueBytes;
  }

  /** The same entries, independent of later changes. */
  KeyIndexHeap copy() {
    var copy = new KeyIndexHeap(entriesMax, valueBytes);
    copy.slots = slots.clone();
    copy.bytes = Arrays.copyOf(bytes, end);
    copy.end = end;
    copy.size = size;
    copy.keyBytes = keyBytes;
    return copy;
  }

  @Override
  public byte[] find(byte[] key) {
    int slot = slotOf(key, KeyIndexHash.of(key));
    return slots[slot] == 0 ? null : valueAt(entry(slot));
  }

  @Override
  public byte[] put(byte[] key, byte[] value) {
    long hash = KeyIndexHash.of(key);
    int slot = slotOf(key, hash);
    if (slots[slot] != 0) {
      byte[] previous = valueAt(entry(slot));
      System.arraycopy(value, 0, bytes, valueStart(entry(slot)), valueBytes);
      return previous;
    }
    if (!hasRoomFor(ChronicleBucketShape.Need.of(key))) {
      return NO_ROOM;
    }
    if (end + entryBytes(key.length) > bytes.length || 2 * (size + 1) > slots.length) {
      rebuild(key.length);
      slot = slotOf(key, hash);
    }
    slots[slot] = hash & ~OFFSET | end;
    size++;
    keyBytes += key.length;
    append(key, value);
    return null;
  }

  private void append(byte[] key, byte[] value) {
    bytes[end] = (byte) (key.length >>> 8);
    bytes[end + 1] = (byte) key.length;
    System.arraycopy(key, 0, bytes, end + LENGTH_BYTES, key.length);
    System.arraycopy(value, 0, bytes, end + LENGTH_BYTES + key.length, valueBytes);
    end += entryBytes(key.length);
  }

  @Override
  public byte[] remove(byte[] key) {
    int slot = slotOf(key, KeyIndexHash.of(key));
    if (slots[slot] == 0) {
      return null;
    }
    byte[] previous = valueAt(entry(slot));
    free(slot);
    size--;
    keyBytes -= key.length;
    return previous;
  }

  /** Frees a slot and moves those behind it back that would rather be before it. */
  private void free(int slot) {
    int gap = slot;
    for (int next = after(gap); slots[next] != 0; next = after(next)) {
      int wanted = home(slots[next]);
      if (!isWithin(wanted, gap, next)) {
        slots[gap] = slots[next];
        gap = next;
      }
    }
    slots[gap] = 0;
  }

  /** Whether a slot comes after another and not after a third, going round. */
  private static boolean isWithin(int slot, int after, int upTo) {
    return after <= upTo ? after < slot && slot <= upTo : after < slot || slot <= upTo;
  }

  /** The slot of a key, or the free one where it would be entered. */
  private int slotOf(byte[] key, long hash) {
    int slot = home(hash);
    while (slots[slot] != 0 && !holds(slot, key, hash)) {
      slot = after(slot);
    }
    return slot;
  }

  private boolean holds(int slot, byte[] key, long hash) {
    if (((slots[slot] ^ hash) & ~OFFSET) != 0) {
      return false;
    }
    int start = entry(slot) + LENGTH_BYTES;
    int length = keyLength(entry(slot));
    return length == key.length && Arrays.equals(bytes, start, start + length, key, 0, length);
  }

  private int home(long hash) {
    return (int) (hash >>> Integer.SIZE) & slots.length - 1;
  }

  private int after(int slot) {
    return slot + 1 & slots.length - 1;
  }

  private int entry(int slot) {
    return (int) slots[slot];
  }

  private int keyLength(int entry) {
    return (bytes[entry] & 0xff) << 8 | bytes[entry + 1] & 0xff;
  }

  private int valueStart(int entry) {
    return entry + LENGTH_BYTES + keyLength(entry);
  }

  private byte[] valueAt(int entry) {
    int start = valueStart(entry);
    return Arrays.copyOfRange(bytes, start, start + valueBytes);
  }

  private int entryBytes(int keyLength) {
    return LENGTH_BYTES + keyLength + valueBytes;
  }

  /** Copies the live entries to arrays with room for half as much again, and for one key more. */
  private void rebuild(int keyLength) {
    long[] oldSlots = slots;
    byte[] oldBytes = bytes;
    int live = keyBytes + size * (LENGTH_BYTES + valueBytes);
    slots = new long[Math.max(SLOTS_MIN, 2 * Integer.highestOneBit(2 * size + 1))];
    bytes = new byte[Math.toIntExact(FIRST_ENTRY + live * 3L / 2 + 2 * entryBytes(keyLength))];
    end = FIRST_ENTRY;
    for (long old : oldSlots) {
      if (old != 0) {
        int slot = home(old);
        while (slots[slot] != 0) {
          slot = after(slot);
        }
        slots[slot] = old & ~OFFSET | end;
        int from = (int) old;
        int length = entryBytes((oldBytes[from] & 0xff) << 8 | oldBytes[from + 1] & 0xff);
        System.arraycopy(oldBytes, from, bytes, end, length);
        end += length;
      }
    }
  }

  @Override
  public void forEach(BiConsumer<byte[], byte[]> visitor) {
    for (int slot = 0; slot < slots.length; slot++) {
      if (slots[slot] != 0) {
        int start = entry(slot) + LENGTH_BYTES;
        byte[] key = Arrays.copyOfRange(bytes, start, start + keyLength(entry(slot)));
        visitor.accept(key, valueAt(entry(slot)));
      }
    }
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public long keyBytes() {
    return keyBytes;
  }

  @Override
  public boolean hasRoomFor(ChronicleBucketShape.Need extra) {
    long entries = (long) size + extra.entries();
    boolean hasRoom = entries <= entriesMax && keyBytes + extra.keyBytes() <= keyBytesMax;
    if (!hasRoom && entriesMax == Integer.MAX_VALUE) {
      throw new StorageException(
          StorageException.Reason.DISK_FULL,
          "the keys of an index on the heap take more than " + keyBytesMax + " bytes");
    }
    return hasRoom;
  }

  @Override
  public void discard() {
    slots = new long[SLOTS_MIN];
    bytes = new byte[FIRST_ENTRY];
    end = FIRST_ENTRY;
    size = 0;
    keyBytes = 0;
  }
}
