package dev.orrery.storage.keyindex;

import java.util.concurrent.locks.StampedLock;

/**
 * The entries whose hash starts with some bits: held on the heap, in a Chronicle Map, or resting in
 * the last checkpoint until somebody asks for them.
 */
final class ChronicleBucket {
  /** No image yet. */
  static final long NO_IMAGE = 0;

  /** Entries on the heap whose keys are shorter, together, stay there: not worth reading again. */
  static final int RESTING_KEY_BYTES_MIN = 4096;

  final int depth;
  final long prefix;

  /** Readers share it; a writer, a copy and a replacement have it alone. */
  final StampedLock lock = new StampedLock();

  private final KeyIndexFiles files;
  private final KeyIndexOptions options;

  /** Null while the bucket rests in its image, or in the manifest when it has none. */
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

  private ChronicleBucket(
      int depth,
      long prefix,
      KeyIndexFiles files,
      KeyIndexOptions options,
      KeyIndexEntries entries) {
    this.depth = depth;
    this.prefix = prefix;
    this.files = files;
    this.options = options;
    this.entries = entries;
  }

  /** The only bucket of an index without keys. */
  static ChronicleBucket empty(KeyIndexFiles files, KeyIndexOptions options) {
    var none = new KeyIndexHeap(options.heapEntriesMax(), options.valueBytes());
    return new ChronicleBucket(0, 0, files, options, none);
  }

  /** A bucket as a manifest describes it. */
  static ChronicleBucket resting(
      KeyIndexManifest.Row row, KeyIndexFiles files, KeyIndexOptions options) {
    var bucket = new ChronicleBucket(row.depth(), row.prefix(), files, options, row.heap());
    bucket.restingSize = row.size();
    bucket.imageNumber = row.imageNumber();
    bucket.imageChecksum = row.imageChecksum();
    bucket.imageLsn = row.lsn();
    bucket.imageChanges = 0;
    return bucket;
  }

  /** Half of a bucket that was split; its ancestor's checkpoint is also its own. */
  ChronicleBucket half(int bit) {
    var half = new ChronicleBucket(depth + 1, prefix << 1 | bit, files, options, null);
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
    if (imageNumber == NO_IMAGE) {
      KeyIndexManifest saved = KeyIndexManifest.read(files, options);
      if (saved == null) {
        throw KeyIndexFiles.corrupt(files.manifest(), "the manifest is gone");
      }
      entries = saved.heap();
      return;
    }
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
  int entriesMax() {
    int most = options.bucketEntriesMax();
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
    if (entries == null && imageNumber == NO_IMAGE) {
      load(); // the manifest it rests in is about to be replaced
    }
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

  /** Lets go of the entries when they are on disk and nobody asked for them since last time. */
  boolean restIfIdle() {
    boolean wasTouched = isTouched;
    isTouched = false;
    if (wasTouched || isDirty() || entries == null || isSmall()) {
      return false;
    }
    restingSize = entries.size();
    entries.discard();
    entries = null;
    return true;
  }

  private boolean isSmall() {
    return entries instanceof KeyIndexHeap && entries.keyBytes() < RESTING_KEY_BYTES_MIN;
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
