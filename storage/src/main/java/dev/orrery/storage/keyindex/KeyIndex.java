package dev.orrery.storage.keyindex;

import dev.orrery.lane.Lane;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageException.Reason;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A hash index from keys of bytes to one or two longs, kept in Chronicle Maps and durable by
 * checkpoint: after a crash it is what it was at the last checkpoint, and the owner replays the log
 * from there.
 *
 * <p>One thread writes at a time (the owner sees to that); any number of threads read meanwhile.
 */
/*
 * An index is a directory of buckets by leading bits of the hash (extendible hashing). A bucket
 * starts on the heap, moves to a small Chronicle Map, then to larger ones, and at its maximum splits
 * in two. So nobody declares a size, a small index has one small file, and the longest pause is that
 * of copying one bucket.
 *
 * Live maps are scratch. Chronicle keeps its locks inside the file, where a killed process leaves
 * them, and promises nothing about the order of its writes. So a checkpoint copies the file of every
 * changed bucket while nobody is inside, and only such images (with checksums) are ever read back:
 * lazily, when a bucket is first asked for. That costs 4 to 8 ms of CPU, of which reopening a map is
 * the half; it checks the data, and makes a clean stop a checkpoint like any other.
 */
public final class KeyIndex implements AutoCloseable {
  /** No value: what {@link #find}, {@link #put} and {@link #remove} return for an absent key. */
  public static final long ABSENT = Long.MIN_VALUE;

  /** The lsn of a checkpoint that was never made. */
  public static final long NEVER = -1;

  /** The longest key. */
  public static final int KEY_BYTES_MAX = 8192;

  static final int DEPTH_MAX = 24;

  /**
   * How much deeper than evenly spread keys need a bucket may be. Keys that were chosen to share
   * hash bits make their one bucket large instead of the directory.
   */
  private static final int DEPTH_SLACK = 8;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final KeyIndexOptions options;
  private final KeyIndexFiles files;
  private final KeyIndexGrowth growth;
  private volatile KeyIndexDirectory directory; // null once closed
  private volatile KeyIndexManifest manifest; // null before the first checkpoint
  private volatile long size;
  private volatile boolean isChanged;

  private KeyIndex(KeyIndexOptions options, KeyIndexFiles files) {
    this.options = options;
    this.files = files;
    this.growth = new KeyIndexGrowth(files, options);
  }

  /**
   * Opens the index as of its last checkpoint; without one it is empty. The directory is created
   * with its first file.
   */
  public static KeyIndex open(Path path, KeyIndexOptions options) {
    var files = new KeyIndexFiles(path, options.ephemeral());
    var index = new KeyIndex(options, files);
    KeyIndexManifest saved = KeyIndexManifest.read(files, options);
    List<ChronicleBucket> buckets = new ArrayList<>();
    if (saved == null) {
      buckets.add(ChronicleBucket.empty(files, options));
    } else {
      index.manifest = saved.withoutEntries();
      for (KeyIndexManifest.Row row : saved.rows()) {
        buckets.add(ChronicleBucket.resting(row, files, options));
        files.skipNumber(row.imageNumber());
        index.size += row.size();
      }
    }
    index.directory = KeyIndexDirectory.of(buckets, files.manifest());
    // Live maps of an earlier process, and images of a checkpoint that was not completed.
    files.deleteAllBut(saved == null ? Set.of() : saved.fileNames(files));
    return index;
  }

  /** An empty index in the place of files that cannot be used; {@link #delete} must follow. */
  public static KeyIndex openEmpty(Path path, KeyIndexOptions options) {
    var files = new KeyIndexFiles(path, options.ephemeral());
    var index = new KeyIndex(options, files);
    index.directory = KeyIndexDirectory.ofOne(ChronicleBucket.empty(files, options));
    return index;
  }

  /**
   * Makes and deletes a map, so that the classes of Chronicle are loaded (half a second) before the
   * first index outgrows the heap.
   *
   * @param scratch a directory that need not exist; it is deleted
   */
  public static void warmUp(Path scratch) {
    var options = KeyIndexOptions.single().withEphemeral(true).withLimits(1, 1_000);
    KeyIndex index = open(scratch, options);
    for (byte i = 0; i < 8; i++) {
      index.put(new byte[] {i}, i);
    }
    index.checkpoint(0);
    index.delete();
  }

  /** The value of a key, or {@link #ABSENT}; the first half when values are two longs. */
  public long find(byte[] key) {
    return first(value(key));
  }

  /** Fills {@code out} with the value of a key; false, and nothing filled, when it is absent. */
  public boolean get(byte[] key, long[] out) {
    byte[] value = value(key);
    if (value == null) {
      return false;
    }
    for (int i = 0; i < options.valueLongs(); i++) {
      out[i] = (long) LONG.get(value, i * Long.BYTES);
    }
    return true;
  }

  private byte[] value(byte[] key) {
    long hash = KeyIndexHash.of(requireKey(key));
    while (true) {
      ChronicleBucket bucket = requireOpen().find(hash);
      long stamp = bucket.lockShared();
      if (stamp != 0) {
        try {
          return bucket.entries().find(key);
        } finally {
          bucket.lock.unlockRead(stamp);
        }
      }
    }
  }

  /** Sets a value of one long; returns the previous one, or {@link #ABSENT}. */
  public long put(byte[] key, long value) {
    if (options.valueLongs() != 1 || value == ABSENT) {
      throw new IllegalArgumentException("not a value of this index: " + value);
    }
    byte[] bytes = new byte[Long.BYTES];
    LONG.set(bytes, 0, value);
    return first(put(key, bytes));
  }

  /** Sets a value of two longs; returns the first half of the previous one, or {@link #ABSENT}. */
  public long put(byte[] key, long first, long second) {
    if (options.valueLongs() != 2 || first == ABSENT) {
      throw new IllegalArgumentException("not a value of this index: " + first + ", " + second);
    }
    byte[] bytes = new byte[2 * Long.BYTES];
    LONG.set(bytes, 0, first);
    LONG.set(bytes, Long.BYTES, second);
    return first(put(key, bytes));
  }

  private byte[] put(byte[] key, byte[] value) {
    long hash = KeyIndexHash.of(requireKey(key));
    while (true) {
      ChronicleBucket bucket = requireOpen().find(hash);
      long stamp = bucket.lockAlone();
      if (stamp == 0) {
        continue;
      }
      try {
        byte[] previous = bucket.entries().put(key, value);
        if (previous != KeyIndexEntries.NO_ROOM) {
          changed(bucket, previous == null ? 1 : 0);
          return previous;
        }
        makeRoom(bucket, ChronicleBucketShape.Need.of(key));
      } finally {
        bucket.lock.unlockWrite(stamp);
      }
    }
  }

  /**
   * Makes room for keys that are about to be put, so that a full disk is reported before a commit
   * and not in the midst of it. Keys that are there already do no harm.
   */
  public void prepare(Collection<byte[]> newKeys) {
    Map<ChronicleBucket, ChronicleBucketShape.Sum> needs;
    do {
      needs = new IdentityHashMap<>();
      KeyIndexDirectory present = requireOpen();
      for (byte[] key : newKeys) {
        ChronicleBucket bucket = present.find(KeyIndexHash.of(requireKey(key)));
        needs.computeIfAbsent(bucket, none -> new ChronicleBucketShape.Sum()).add(key);
      }
    } while (!hadRoom(needs)); // after a split the keys must be dealt out again
  }

  /** As the other, for one key: the common case, without the collections. */
  public void prepare(byte[] newKey) {
    long hash = KeyIndexHash.of(requireKey(newKey));
    ChronicleBucketShape.Need need = ChronicleBucketShape.Need.of(newKey);
    while (!hadRoom(requireOpen().find(hash), need)) {
      continue; // it grew or was split: look again
    }
  }

  /** Makes room where there is too little; true when there was enough everywhere. */
  private boolean hadRoom(Map<ChronicleBucket, ChronicleBucketShape.Sum> needs) {
    boolean hadRoom = true;
    for (var need : needs.entrySet()) {
      hadRoom &= hadRoom(need.getKey(), need.getValue().toNeed());
    }
    return hadRoom;
  }

  private boolean hadRoom(ChronicleBucket bucket, ChronicleBucketShape.Need need) {
    long stamp = bucket.lockAlone();
    try {
      boolean hasRoom = bucket.entries().hasRoomFor(need);
      if (!hasRoom) {
        Lane.requireMayWait(); // for a new file
        makeRoom(bucket, need);
      }
      return hasRoom;
    } finally {
      bucket.lock.unlockWrite(stamp);
    }
  }

  /** Removes a key; returns its value (the first half of it), or {@link #ABSENT}. */
  public long remove(byte[] key) {
    long hash = KeyIndexHash.of(requireKey(key));
    while (true) {
      ChronicleBucket bucket = requireOpen().find(hash);
      long stamp = bucket.lockAlone();
      if (stamp == 0) {
        continue;
      }
      try {
        byte[] previous = bucket.entries().remove(key);
        if (previous != null) {
          changed(bucket, -1);
        }
        return first(previous);
      } finally {
        bucket.lock.unlockWrite(stamp);
      }
    }
  }

  @SuppressWarnings("NonAtomicOperationOnVolatileField") // one writer at a time
  private void changed(ChronicleBucket bucket, int sizeChange) {
    bucket.changed();
    size += sizeChange;
    isChanged = true;
  }

  private static long first(byte[] value) {
    return value == null ? ABSENT : (long) LONG.get(value, 0);
  }

  private void makeRoom(ChronicleBucket bucket, ChronicleBucketShape.Need extra) {
    KeyIndexEntries entries = bucket.entries();
    boolean isLarge = ChronicleBucketShape.Need.of(entries).isLarge(bucket.entriesMax());
    if (isLarge && entries instanceof ChronicleBucketMap && bucket.depth < depthMax()) {
      List<ChronicleBucket> halves = growth.split(bucket, extra);
      directory = directory.split(bucket, halves);
      bucket.retire();
    } else {
      bucket.replace(growth.enlarge(bucket, extra));
    }
    isChanged = true;
  }

  private int depthMax() {
    long evenly = Long.SIZE - Long.numberOfLeadingZeros(size / options.bucketEntriesMax());
    return (int) Math.min(DEPTH_MAX, evenly + DEPTH_SLACK);
  }

  /** The number of keys. */
  public long size() {
    return size;
  }

  /** Visits every entry. Entries that are written meanwhile may be seen or not. */
  public void forEach(KeyIndexVisitor visitor) {
    ChronicleBucket bucket = requireOpen().first();
    while (bucket != null) {
      long stamp = bucket.lockShared();
      if (stamp == 0) {
        bucket = requireOpen().find(bucket.firstHash()); // it was split: its first half, then
        continue;
      }
      List<byte[]> flat = new ArrayList<>();
      try {
        bucket.entries().forEach((key, value) -> flat.addAll(List.of(key, value)));
      } finally {
        bucket.lock.unlockRead(stamp);
      }
      for (int i = 0; i < flat.size(); i += 2) { // not under the lock: the visitor may read
        visit(flat.get(i), flat.get(i + 1), visitor);
      }
      bucket = requireOpen().after(bucket);
    }
  }

  private static void visit(byte[] key, byte[] value, KeyIndexVisitor visitor) {
    long second = value.length > Long.BYTES ? (long) LONG.get(value, Long.BYTES) : 0;
    visitor.visit(key, (long) LONG.get(value, 0), second);
  }

  private void forEachBucket(Consumer<ChronicleBucket> action) {
    KeyIndexDirectory present = requireOpen();
    for (var bucket = present.first(); bucket != null; bucket = present.after(bucket)) {
      action.accept(bucket);
    }
  }

  /** The lsn that every key had reached at the last checkpoint, or {@link #NEVER}. */
  public long checkpointLsn() {
    KeyIndexManifest last = manifest;
    return last == null ? NEVER : last.lsn();
  }

  /** The last checkpoint, without its entries; null before the first. */
  public KeyIndexManifest saved() {
    return manifest;
  }

  /**
   * The lsn up to which the last checkpoint holds the changes of this key; what has a greater one
   * must be replayed after a crash, what has not must not when replaying twice does harm.
   */
  public long appliedLsn(byte[] key) {
    ChronicleBucket bucket = requireOpen().find(KeyIndexHash.of(requireKey(key)));
    long stamp = bucket.lock.readLock();
    try {
      return bucket.imageLsn();
    } finally {
      bucket.lock.unlockRead(stamp);
    }
  }

  /**
   * Makes the present state durable as that of {@code lsn}; nobody may write meanwhile. Writes
   * nothing when nothing changed: then the last checkpoint is also right for this lsn.
   */
  public void checkpoint(long lsn) {
    checkpoint(new ReentrantLock(), () -> lsn);
  }

  /** As the other, for a caller who need not do anything before a checkpoint is published. */
  public void checkpoint(Lock writers, LongSupplier lsn) {
    checkpoint(writers, new KeyIndexCheckpoint.Steps(lsn, applied -> {}, () -> {}));
  }

  /**
   * Makes the present state durable, bucket by bucket, while writers go on between buckets.
   *
   * @param writers keeps writers out; held while one bucket is copied in memory, never during I/O
   *     waits
   */
  public synchronized void checkpoint(Lock writers, KeyIndexCheckpoint.Steps steps) {
    new KeyIndexCheckpoint(files, options, writers, steps).run(this);
  }

  /** False when nothing is to be saved. An empty index is, once: the log cannot tell it later. */
  boolean beginCheckpoint() {
    requireOpen();
    boolean wasChanged = isChanged || manifest == null || !manifest.isOf(options.owner());
    isChanged = false;
    return wasChanged;
  }

  void failCheckpoint() {
    isChanged = true;
  }

  KeyIndexDirectory directory() {
    return requireOpen();
  }

  void completeCheckpoint(KeyIndexManifest fresh) {
    manifest = fresh.withoutEntries();
  }

  /**
   * Lets go of the entries of buckets that are as of the last checkpoint and that nobody asked for
   * since the last call; they come back by themselves. Returns in how many buckets it did.
   */
  public synchronized int releaseIdle() {
    int[] released = {0};
    forEachBucket(
        bucket -> {
          long stamp = bucket.lock.writeLock();
          try {
            released[0] += bucket.restIfIdle() ? 1 : 0;
          } finally {
            bucket.lock.unlockWrite(stamp);
          }
        });
    return released[0];
  }

  /** The number of map files now open: each costs a file handle. */
  public int openMaps() {
    int[] open = {0};
    forEachBucket(
        bucket -> {
          long stamp = bucket.lock.readLock();
          open[0] += bucket.entries() instanceof ChronicleBucketMap ? 1 : 0;
          bucket.lock.unlockRead(stamp);
        });
    return open[0];
  }

  /**
   * Checks every image of the last checkpoint; throws {@link Reason#CORRUPT} for the first bad one.
   */
  public synchronized void verify() {
    requireOpen();
    if (manifest != null) {
      for (KeyIndexManifest.Row row : manifest.rows()) {
        if (row.hasImage()) {
          ChronicleBucketImage.read(files.image(row.imageNumber()), row.imageChecksum());
        }
      }
    }
  }

  /** Bytes of the files: live maps, images and manifest. */
  public long diskBytes() {
    return files.list().stream().mapToLong(path -> path.toFile().length()).sum();
  }

  /** Makes a last checkpoint and closes. */
  public void close(long lsn) {
    checkpoint(lsn);
    close();
  }

  /** Closes without a checkpoint: what changed after the last one is forgotten, as in a crash. */
  @Override
  public synchronized void close() {
    if (directory == null) {
      return;
    }
    KeyIndexDirectory last = directory;
    directory = null;
    for (var bucket = last.first(); bucket != null; bucket = last.after(bucket)) {
      long stamp = bucket.lock.writeLock();
      try {
        bucket.retire();
      } finally {
        bucket.lock.unlockWrite(stamp);
      }
    }
  }

  /** Closes and deletes everything. */
  public synchronized void delete() {
    close();
    files.deleteAll();
  }

  private KeyIndexDirectory requireOpen() {
    KeyIndexDirectory present = directory;
    if (present == null) {
      throw new StorageException(
          Reason.UNAVAILABLE, "the key index in " + files.directory() + " is closed");
    }
    return present;
  }

  private static byte[] requireKey(byte[] key) {
    if (key.length < 1 || key.length > KEY_BYTES_MAX) {
      throw new IllegalArgumentException("a key of " + key.length + " bytes");
    }
    return key;
  }
}
