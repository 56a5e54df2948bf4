package dev.orrery.storage;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The feed of what was committed after a point, in the order of the commits: only what is durable,
 * each commit as a whole and once. It holds nothing but its place, and needs not be closed. Not
 * thread-safe.
 */
public interface Changes {
  /**
   * The next commits, at least one if there is one, and about as many as have {@code bytesMax}
   * bytes; empty when there is none yet. Fails with {@link StorageException.Reason#LOG_TRIMMED}
   * when what comes next is no longer kept. A commit that changed nothing of documents or
   * structures (a moved record, a setting) may come without changes, or not at all.
   */
  CompletionStage<List<CommittedGroup>> next(int bytesMax);

  /** Up to this cluster time everything has been returned. */
  long time();
}
