package dev.orrery.storage.keyindex;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * One run of saving an index: images of the changed buckets, then the manifest, then the old images
 * go. A crash at any point leaves the old or the new checkpoint complete.
 */
/*
 * Buckets are taken in the order of their hashes, each at its own lsn, and writers run in between. A
 * bucket may split after it was taken (its row then stands for both halves) or before (then the
 * halves are taken): splits add boundaries and never remove one, so the end of the bucket taken last
 * is always the start of a bucket, and the rows cover every hash once.
 */
public final class KeyIndexCheckpoint {
  private final KeyIndexFiles files;
  private final KeyIndexOptions options;
  private final Lock writers;
  private final Steps steps;
  private final List<Taken> taken = new ArrayList<>();
  private final List<Path> written = new ArrayList<>();

  /**
   * What the owner does on the way.
   *
   * @param lsn what was applied last, whole; asked for under the writers' lock
   * @param beforePublish called without the lock, before the checkpoint becomes what a restart
   *     finds, with the greatest lsn in it
   * @param betweenBuckets called without the lock; may wait, and what it throws ends the checkpoint
   */
  public record Steps(LongSupplier lsn, LongConsumer beforePublish, Runnable betweenBuckets) {}

  KeyIndexCheckpoint(KeyIndexFiles files, KeyIndexOptions options, Lock writers, Steps steps) {
    this.files = files;
    this.options = options;
    this.writers = writers;
    this.steps = steps;
  }

  /** A bucket, how it was, and after how many changes. */
  private record Taken(ChronicleBucket bucket, KeyIndexManifest.Row row, long changes) {}

  void run(KeyIndex index) {
    if (!index.beginCheckpoint()) {
      return;
    }
    try {
      takeAll(index);
      var fresh =
          new KeyIndexManifest(
              options.valueLongs(), options.owner(), taken.stream().map(Taken::row).toList());
      steps
          .beforePublish()
          .accept(taken.stream().mapToLong(one -> one.row().lsn()).max().orElse(0));
      files.replaceManifest(fresh.encode());
      taken.forEach(KeyIndexCheckpoint::confirm);
      index.completeCheckpoint(fresh);
      files.deleteImagesBut(fresh.fileNames(files));
    } catch (RuntimeException | Error e) {
      index.failCheckpoint();
      throw e;
    }
  }

  private void takeAll(KeyIndex index) {
    try {
      ChronicleBucket last = null;
      do {
        last = takeAfter(last, index);
        steps.betweenBuckets().run();
      } while (last.prefix + 1 >>> last.depth == 0);
    } catch (RuntimeException | Error e) {
      written.forEach(KeyIndexFiles::deleteQuietly); // a full disk needs the room
      throw e;
    }
  }

  private ChronicleBucket takeAfter(ChronicleBucket last, KeyIndex index) {
    ChronicleBucket bucket;
    KeyIndexManifest.Row row;
    long changes;
    ChronicleBucketImage image = null;
    writers.lock();
    try {
      KeyIndexDirectory directory = index.directory();
      bucket = last == null ? directory.first() : directory.after(last);
      long stamp = bucket.lock.writeLock();
      try {
        changes = bucket.changes();
        row = bucket.unchangedRow(steps.lsn().getAsLong());
        if (bucket.isDirty() && bucket.entries() instanceof ChronicleBucketMap map) {
          image = ChronicleBucketImage.capture(map, row.lsn());
        }
      } finally {
        bucket.lock.unlockWrite(stamp);
      }
    } finally {
      writers.unlock();
    }
    if (image != null) {
      long number = files.newNumber();
      written.add(files.image(number));
      row = row.withImage(number, image.write(files.image(number), files));
    }
    taken.add(new Taken(bucket, row, changes));
    return bucket;
  }

  private static void confirm(Taken one) {
    long stamp = one.bucket.lock.writeLock();
    try {
      one.bucket.checkpointed(one.row, one.changes);
    } finally {
      one.bucket.lock.unlockWrite(stamp);
    }
  }
}
