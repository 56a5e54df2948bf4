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
   * Commits a batch; see {@link WriteBatch} and {@link CommitResult}. On an event loop the stage is
   * complete, or a {@link dev.orrery.lane.WouldWaitException} is thrown before anything is changed.
   */
  CompletionStage<CommitResult> commit(WriteBatch batch, WorkMeter meter);

  /** The clock that gives every commit its cluster time. */
  CommitClock clock();

  /** Of everything that was changed before this call. */
  Receipt receipt();

  /** Bytes that the engine occupies on disk, log and indexes together. */
  long diskBytes();

  /** Stops cleanly: everything acknowledged is on disk, and the next start is instant. */
  @Override
  void close();
}
