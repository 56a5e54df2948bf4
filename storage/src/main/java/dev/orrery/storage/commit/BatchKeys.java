package dev.orrery.storage.commit;

import dev.orrery.storage.keyindex.KeyIndexHash;
import java.util.Arrays;

/**
 * A number for each key of several structures, for as long as one batch is checked: a hash table
 * without an object for each entry. Structures are told apart by identity. Keys are kept, not
 * copied.
 */
final class BatchKeys {
  /** What {@link #get} returns for a key that was never put. */
  static final long UNKNOWN = Long.MIN_VALUE + 1;

  private static final int LEAST_SLOTS = 8;

  private Object[] structures;
  private byte[][] keys;
  private long[] values;
  private int size;

  BatchKeys(int expected) {
    int slots = Math.max(LEAST_SLOTS, Integer.highestOneBit(Math.max(1, expected)) << 2);
    allocate(slots);
  }

  private void allocate(int slots) {
    structures = new Object[slots];
    keys = new byte[slots][];
    values = new long[slots];
  }

  long get(Object structure, byte[] key) {
    int slot = slot(structure, key);
    return keys[slot] == null ? UNKNOWN : values[slot];
  }

  boolean contains(Object structure, byte[] key) {
    return keys[slot(structure, key)] != null;
  }

  void put(Object structure, byte[] key, long value) {
    int slot = slot(structure, key);
    values[slot] = value;
    if (keys[slot] == null) {
      structures[slot] = structure;
      keys[slot] = key;
      size++;
      if (2 * size > keys.length) {
        grow();
      }
    }
  }

  /** Where the key is, or else would be. */
  private int slot(Object structure, byte[] key) {
    int mask = keys.length - 1;
    int slot = (int) KeyIndexHash.of(key) & mask;
    while (keys[slot] != null
        && (structures[slot] != structure || !Arrays.equals(keys[slot], key))) {
      slot = slot + 1 & mask;
    }
    return slot;
  }

  private void grow() {
    Object[] oldStructures = structures;
    byte[][] oldKeys = keys;
    long[] oldValues = values;
    allocate(2 * oldKeys.length);
    size = 0;
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] != null) {
        put(oldStructures[i], oldKeys[i], oldValues[i]);
      }
    }
  }
}
