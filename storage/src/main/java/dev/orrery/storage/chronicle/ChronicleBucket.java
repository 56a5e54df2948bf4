package dev.orrery.storage.chronicle;

import java.util.concurrent.locks.StampedLock;

/**
 * The entries whose hash starts with some bits: held on the heap, in a Chronicle Map, or resting in
 * the image of the last checkpoint until somebody asks for them.
 */
final class ChronicleBucket {
  /** No image yet. */
  static final long NO_IMAGE = 0;

  final int depth;
  final long prefix;

  /** Readers share it; a writer, a copy and a replacement have it alone. */
  final StampedLock lock = new StampedLock();

  private final KeyIndexFiles files;

  /** Null while the bucket rests in its image. */
  private KeyIndexEntries entries;

  private int restingSize;
  private long imageNumber = NO_IMAGE;
  private int imageChecksum;
  private long imageLsn = KeyIndex.NEVER;

  /** Counts changes, to see whether the image is still what the bucket holds. */
  private long changes;

  private long imageChanges = -1;
  private boolean isRetired;
  private volatile boolean isTouched = true;

  ChronicleBucket(int depth, long prefix, KeyIndexFiles files, KeyIndexEntries entries) {
    this.depth = depth;
    this.prefix = prefix;
    this.files = files;
    this.entries = entries;
  }

  /** A bucket as a manifest describes it. */
  static ChronicleBucket resting(KeyIndexManifest.Row row, KeyIndexFiles files) {
    var bucket = new ChronicleBucket(row.depth(), row.prefix(), files, row.heap());
    bucket.restingSize = row.size();
    bucket.imageNumber = row.imageNumber();
    bucket.imageChecksum = row.imageChecksum();
    bucket.imageLsn = row.lsn();
    bucket.imageChanges = 0;
    return bucket;
  }

  /** Half of a bucket that was split; its ancestor's checkpoint is also its own. */
  ChronicleBucket half(int bit) {
    var half = new ChronicleBucket(depth + 1, prefix << 1 | bit, files, null);
    half.imageLsn = imageLsn;
    return half;
  }

  /** Gives a new half its entries, before anybody can see it. */
  void fill(KeyIndexEntries first) {
    entries = first;
  }

  /** Takes the shared lock with the entries loaded; 0 when the bucket was split meanwhile. */
  long lockShared() {
    long stamp = lock.readLock();
    if (entries != null && !isRetired) {
      touch();
      return stamp;
    }
    lock.unlockRead(stamp);
    stamp = lockAlone();
    return stamp == 0 ? 0 : lock.tryConvertToReadLock(stamp);
  }

  /** Takes the exclusive lock with the entries loaded; 0 when the bucket was split meanwhile. */
  long lockAlone() {
    long stamp = lock.writeLock();
    if (isRetired) {
      lock.unlockWrite(stamp);
      return 0;
    }
    touch();
    if (entries == null) {
      try {
        load();
      } catch (RuntimeException | Error e) {
        lock.unlockWrite(stamp);
        throw e;
      }
    }
    return stamp;
  }

  private void touch() {
    if (!isTouched) { // a plain write each time would bounce the cache line between readers
      isTouched = true;
    }
  }

  private void load() {
    ChronicleBucketImage image = ChronicleBucketImage.read(files.image(imageNumber), imageChecksum);
    entries = image.restore(files.newLiveMap());
  }

  /** The least hash that belongs here. */
  long firstHash() {
    return depth == 0 ? 0 : prefix << Long.SIZE - depth;
  }

  /**
   * How many entries this bucket takes before it splits: between three fifths and all of the most
   * allowed. Keys spread so evenly that buckets with one limit would all split at the same time. An
   * only bucket has no others to keep apart from.
   */
  int entriesMax(int most) {
    if (depth == 0) {
      return most;
    }
    return most - (int) ((KeyIndexHash.of(prefix << 8 | depth) >>> 1) % (most * 2L / 5 + 1));
  }

  KeyIndexEntries entries() {
    return entries;
  }

  /** Puts other, equal entries in place of the present ones, which are discarded. */
  void replace(KeyIndexEntries larger) {
    KeyIndexEntries old = entries;
    entries = larger;
    changes++; // a heap bucket's manifest row must become an image
    old.discard();
  }

  void changed() {
    changes++;
  }

  boolean isDirty() {
    return changes != imageChanges;
  }

  long changes() {
    return changes;
  }

  /** The number of entries; needs no loading. */
  int size() {
    return entries == null ? restingSize : entries.size();
  }

  long imageLsn() {
    return imageLsn;
  }

  /** The row of the last checkpoint, as seen again unchanged at a later lsn. */
  KeyIndexManifest.Row unchangedRow(long lsn) {
    KeyIndexHeap heap = entries instanceof KeyIndexHeap small ? small.copy() : null;
    return new KeyIndexManifest.Row(depth, prefix, lsn, heap, imageNumber, imageChecksum, size());
  }

  /** The row is durable now; it shows the bucket after this many changes. */
  void checkpointed(KeyIndexManifest.Row row, long atChanges) {
    imageNumber = row.imageNumber();
    imageChecksum = row.imageChecksum();
    imageLsn = row.lsn();
    imageChanges = atChanges;
  }

  /** Closes and deletes the live map when its image is current and nobody asked since last time. */
  boolean restIfIdle() {
    boolean wasTouched = isTouched;
    isTouched = false;
    if (wasTouched || isDirty() || !(entries instanceof ChronicleBucketMap)) {
      return false;
    }
    restingSize = entries.size();
    entries.discard();
    entries = null;
    return true;
  }

  /** The bucket is no longer in the directory; whoever waits for its lock must look again. */
  void retire() {
    isRetired = true;
    if (entries != null) {
      entries.discard();
      entries = null;
    }
  }
}
