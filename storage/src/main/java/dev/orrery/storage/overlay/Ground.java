package dev.orrery.storage.overlay;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.CommitResult;
import dev.orrery.storage.View;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.index.IndexKeys;
import dev.orrery.value.RawDocument;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What one transaction stands on: a point in its engine, and what the engine keeps for it. */
public interface Ground {
  /** The state at which the transaction began. */
  View snapshot();

  /** How documents become keys of an index. */
  IndexKeys keys(IndexSpec index);

  /**
   * Keeps all others from changing a document and its unique keys until {@link #release}, if nobody
   * did since the snapshot, and the change would be allowed. Waits.
   */
  Claimed claim(Change change);

  /** Commits a batch of what was claimed. */
  CompletionStage<CommitResult> commit(WriteBatch batch, WorkMeter meter);

  /** Gives up all that was claimed, and the snapshot. */
  void release();

  /**
   * One change of a document.
   *
   * @param primaryKey of the document, as its collection makes it
   * @param before what the transaction sees; null for nothing
   * @param after null for a deletion
   */
  record Change(
      CollectionStore collection,
      byte[] primaryKey,
      @Nullable RawDocument before,
      @Nullable RawDocument after) {
    /** A document on whichever side there is one. */
    public RawDocument any() {
      return after == null ? before : after;
    }
  }

  /**
   * What became of a claim.
   *
   * @param partition the physical partition that has the document
   */
  record Claimed(WriteOutcome outcome, int partition, int termsAdded, int termsRemoved) {}
}
