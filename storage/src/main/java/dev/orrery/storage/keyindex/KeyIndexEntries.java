package dev.orrery.storage.keyindex;

import java.util.function.BiConsumer;

/**
 * The entries of one bucket, wherever they are held. Values are of the index's fixed width. Not
 * thread-safe for writers: the bucket's lock gives one writer or many readers.
 */
sealed interface KeyIndexEntries permits KeyIndexHeap, ChronicleBucketMap {
  /** What {@link #put} returns when it stored nothing, because these entries are full. */
  byte[] NO_ROOM = {};

  /** The value, or null when the key is absent. */
  byte[] find(byte[] key);

  /** Stores the value; returns the previous one, null, or {@link #NO_ROOM}. */
  byte[] put(byte[] key, byte[] value);

  /** Removes the key; returns its value, or null. */
  byte[] remove(byte[] key);

  /** Every entry once; neither array is shared with the entries. */
  void forEach(BiConsumer<byte[], byte[]> visitor);

  int size();

  /** The sum of all key lengths. */
  long keyBytes();

  /**
   * Whether so many new keys will find room, unless gaps between keys of mixed lengths waste it.
   */
  boolean hasRoomFor(ChronicleBucketShape.Need extra);

  /** Gives back memory and file; the entries are gone. */
  void discard();
}
