package dev.orrery.storage;

import dev.orrery.value.Namespace;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Where collections live. One engine serves one data directory (or one cluster); all methods may be
 * called from any thread. Nothing above may assume that a read is a memory access, that a partition
 * lives in this process, that ids are dense or in any order, or that commits have one sequence.
 *
 * <p>What is declared here answers at once, but for what returns a stage. What waits is in {@link
 * Structures}.
 */
public interface StorageEngine extends Structures, AutoCloseable {
  /** Every collection and view, sorted by namespace; a snapshot. */
  List<CollectionStore> collections();

  /** The collection or view of that name, or null. */
  @Nullable CollectionStore find(Namespace namespace);

  /**
   * What is committed now, to be read as long as the view is open. Every commit that was answered
   * before this call is seen.
   */
  View pin();

  /**
   * What was committed at a cluster time that has passed, as far back as is known, or else {@link
   * StorageException.Reason#POINT_LOST}; waits.
   */
  View pin(long time);

  /**
   * Begins a transaction; waits.
   *
   * @param time a cluster time to read at, as for {@link #pin(long)}; 0 for what is committed now
   */
  Transaction begin(long time);

  /**
   * Commits a batch; see {@link WriteBatch} and {@link CommitResult}. On an event loop the stage is
   * complete, or a {@link dev.orrery.lane.WouldWaitException} is thrown before anything is changed.
   */
  CompletionStage<CommitResult> commit(WriteBatch batch, WorkMeter meter);

  /** What was committed, for those who follow it. */
  ChangeFeed changes();

  /** The clock that gives every commit its cluster time. */
  CommitClock clock();

  /** Of everything that was changed before this call. */
  Receipt receipt();

  /** Bytes that the engine occupies on disk, log and indexes together. */
  long diskBytes();

  /** The file system that holds the data. */
  DiskRoom diskRoom();

  /** What there is on disk, without looking at every file. */
  default StorageFigures figures() {
    return StorageFigures.UNKNOWN;
  }

  /** Stops cleanly: everything acknowledged is on disk, and the next start is instant. */
  @Override
  void close();
}
