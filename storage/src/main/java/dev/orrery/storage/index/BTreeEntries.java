package dev.orrery.storage.index;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Entries on their way into one tree. Keys are kept, not copied. */
public final class BTreeEntries {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final int INDEX_BITS = 20;
  private static final int RUN_MAX = 1 << INDEX_BITS;

  private byte[][] keys;
  private long[] recordIds;
  private int size;

  public BTreeEntries(int expected) {
    keys = new byte[Math.max(1, expected)][];
    recordIds = new long[keys.length];
  }

  public void add(byte[] key, long recordId) {
    if (size == keys.length) {
      keys = Arrays.copyOf(keys, 2 * size);
      recordIds = Arrays.copyOf(recordIds, 2 * size);
    }
    keys[size] = key;
    recordIds[size] = recordId;
    size++;
  }

  byte[] key(int index) {
    return keys[index];
  }

  long recordId(int index) {
    return recordIds[index];
  }

  /**
   * The entries about in order: by the bytes that follow what all keys have in common, as many as a
   * word has room for beside the entry's number. To sort words is several times cheaper than to
   * compare keys, and nothing but speed depends on it.
   */
  int[] order() {
    int common = commonPrefix();
    int[] order = new int[size];
    for (int start = 0; start < size; start += RUN_MAX) {
      long[] words = new long[Math.min(RUN_MAX, size - start)];
      for (int i = 0; i < words.length; i++) {
        words[i] = word(keys[start + i], common) >>> INDEX_BITS << INDEX_BITS | i;
        words[i] ^= Long.MIN_VALUE; // sorted as signed
      }
      Arrays.sort(words);
      for (int i = 0; i < words.length; i++) {
        order[start + i] = start + (int) (words[i] & RUN_MAX - 1);
      }
    }
    return order;
  }

  private int commonPrefix() {
    int common = size == 0 ? 0 : keys[0].length;
    for (int i = 1; i < size; i++) {
      int length = Math.min(common, keys[i].length);
      int difference = Arrays.mismatch(keys[0], 0, length, keys[i], 0, length);
      common = difference < 0 ? length : difference;
    }
    return common;
  }

  /** Eight bytes from an offset on; zeros behind the key's end. */
  private static long word(byte[] key, int from) {
    if (from + Long.BYTES <= key.length) {
      return (long) LONG.get(key, from);
    }
    long word = 0;
    for (int i = from; i < from + Long.BYTES; i++) {
      word = word << Byte.SIZE | (i < key.length ? key[i] & 0xff : 0);
    }
    return word;
  }
}
