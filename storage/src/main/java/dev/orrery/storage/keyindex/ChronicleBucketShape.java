package dev.orrery.storage.keyindex;

/**
 * How large a bucket's map is made.
 *
 * @param capacity entries it is made for
 * @param keyBytesAverage the key length it is made for
 * @param valueBytes the fixed width of values
 */
record ChronicleBucketShape(int capacity, int keyBytesAverage, int valueBytes) {
  private static final int GROWTH = 4;

  /** Bounds the file of a bucket, and so the pause of a split or a copy, when keys are long. */
  static final long KEY_BYTES_MAX = 4 << 20;

  ChronicleBucketShape {
    if (capacity < 1 || keyBytesAverage < 1 || valueBytes < 1) {
      throw new IllegalArgumentException(
          "bad shape " + capacity + " " + keyBytesAverage + " " + valueBytes);
    }
  }

  /**
   * A shape with room to grow, up to that of the largest bucket.
   *
   * @param entriesMax entries at which the bucket splits
   */
  static ChronicleBucketShape fitting(Need need, int entriesMax, int valueBytes) {
    int average = Math.toIntExact(need.keyBytes / need.entries + 1);
    int level = entriesMax;
    while (level / GROWTH >= need.entries * 2L) {
      level /= GROWTH;
    }
    long wanted = Math.max(Math.min(level, KEY_BYTES_MAX / average), need.entries * 3L / 2);
    return new ChronicleBucketShape(Math.toIntExact(wanted), average, valueBytes);
  }

  /** What must fit: so many entries, whose keys have so many bytes in all. */
  record Need(int entries, long keyBytes) {
    static Need of(KeyIndexEntries entries) {
      return new Need(entries.size(), entries.keyBytes());
    }

    static Need of(byte[] key) {
      return new Need(1, key.length);
    }

    Need plus(Need other) {
      return new Need(Math.addExact(entries, other.entries), keyBytes + other.keyBytes);
    }

    /** Whether a bucket that ran out of room should split instead of being enlarged. */
    boolean isLarge(int entriesMax) {
      return entries > entriesMax / 2 || keyBytes > KEY_BYTES_MAX / 2;
    }
  }

  /** The need of keys that are counted one by one. */
  static final class Sum {
    private int entries;
    private long keyBytes;

    void add(byte[] key) {
      entries = Math.incrementExact(entries);
      keyBytes += key.length;
    }

    Need toNeed() {
      return new Need(entries, keyBytes);
    }
  }

  ChronicleBucketShape doubled() {
    return new ChronicleBucketShape(Math.multiplyExact(capacity, 2), keyBytesAverage, valueBytes);
  }

  /** Roughly, and rather too much. */
  long fileBytesAbout() {
    return capacity * (2L * (keyBytesAverage + valueBytes) + 32);
  }

  /** The sum of key lengths it has room for. */
  long keyBytesMax() {
    return (long) capacity * keyBytesAverage;
  }
}
