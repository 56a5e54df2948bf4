package dev.orrery.storage.chronicle;

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

  /** A shape for this many entries with room to grow, up to the usual largest bucket. */
  static ChronicleBucketShape fitting(
      int entries, long keyBytes, int newKeyLength, KeyIndexOptions options) {
    int average = Math.toIntExact((keyBytes + newKeyLength) / (entries + 1) + 1);
    int level = options.bucketEntriesMax();
    while (level / GROWTH >= (entries + 1) * 2L) {
      level /= GROWTH;
    }
    long byBytes = Math.max(KEY_BYTES_MAX / average, 1);
    long wanted = Math.max(Math.min(level, byBytes), (entries + 1) * 3L / 2);
    return new ChronicleBucketShape(Math.toIntExact(wanted), average, options.valueBytes());
  }

  /** Whether a bucket that ran out of room at this size should split instead of being enlarged. */
  static boolean isLarge(int entries, long keyBytes, KeyIndexOptions options) {
    return entries > options.bucketEntriesMax() / 2 || keyBytes > KEY_BYTES_MAX / 2;
  }

  ChronicleBucketShape doubled() {
    return new ChronicleBucketShape(Math.multiplyExact(capacity, 2), keyBytesAverage, valueBytes);
  }

  /** The sum of key lengths it has room for. */
  long keyBytesMax() {
    return (long) capacity * keyBytesAverage;
  }
}
