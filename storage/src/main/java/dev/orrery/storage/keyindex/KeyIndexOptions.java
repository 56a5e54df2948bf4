package dev.orrery.storage.keyindex;

import dev.orrery.storage.index.FileOwner;

/**
 * What a {@link KeyIndex} holds and how hard it tries to keep it.
 *
 * @param valueLongs longs in a value: 1 or 2
 * @param ephemeral true to never fsync; a checkpoint then survives a killed process, not a power
 *     cut
 * @param heapEntriesMax entries that an index holds on the heap before it gets its first map
 * @param bucketEntriesMax entries that a bucket holds before it splits
 * @param owner who must have written it, unless nobody knows who did
 */
public record KeyIndexOptions(
    int valueLongs, boolean ephemeral, int heapEntriesMax, int bucketEntriesMax, FileOwner owner) {
  /** From where on a map takes no more memory, and is paid for by the entries it is made for. */
  public static final int HEAP_ENTRIES_MAX = 4096;

  /** Just under what a Chronicle segment with 2^16 slots takes before it needs an extra tier. */
  public static final int BUCKET_ENTRIES_MAX = 52_000;

  public KeyIndexOptions {
    if (valueLongs < 1 || valueLongs > 2) {
      throw new IllegalArgumentException("valueLongs must be 1 or 2, not " + valueLongs);
    }
    if (heapEntriesMax < 1 || bucketEntriesMax < heapEntriesMax) {
      throw new IllegalArgumentException(
          "bad limits: heap " + heapEntriesMax + ", bucket " + bucketEntriesMax);
    }
  }

  /** Key to one long: {@code _id} and unique indexes. */
  public static KeyIndexOptions single() {
    return new KeyIndexOptions(1, false, HEAP_ENTRIES_MAX, BUCKET_ENTRIES_MAX, FileOwner.NONE);
  }

  /** Key to two longs: the bytes and documents of a logical partition. */
  public static KeyIndexOptions pair() {
    return new KeyIndexOptions(2, false, HEAP_ENTRIES_MAX, BUCKET_ENTRIES_MAX, FileOwner.NONE);
  }

  public KeyIndexOptions withEphemeral(boolean on) {
    return new KeyIndexOptions(valueLongs, on, heapEntriesMax, bucketEntriesMax, owner);
  }

  public KeyIndexOptions withLimits(int heapEntries, int bucketEntries) {
    return new KeyIndexOptions(valueLongs, ephemeral, heapEntries, bucketEntries, owner);
  }

  public KeyIndexOptions withOwner(FileOwner of) {
    return new KeyIndexOptions(valueLongs, ephemeral, heapEntriesMax, bucketEntriesMax, of);
  }

  int valueBytes() {
    return valueLongs * Long.BYTES;
  }
}
