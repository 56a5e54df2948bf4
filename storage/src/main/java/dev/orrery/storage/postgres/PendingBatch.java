package dev.orrery.storage.postgres;

import dev.orrery.storage.CommitResult;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A batch that waits to be committed, alone or with others. */
final class PendingBatch {
  /**
   * Whose changes these are.
   *
   * @param id of a transaction; 0 for none
   * @param claims how many keys it holds
   */
  record Owner(long id, int claims) {
    static final Owner NOBODY = new Owner(0, 0);
  }

  final WriteBatch batch;
  final Owner owner;
  final WorkMeter meter;
  final CompletableFuture<CommitResult> done = new CompletableFuture<>();

  /** One for each operation; null where the collection is gone. */
  final List<@Nullable PlannedWrite> writes = new ArrayList<>();

  /** What became of each operation. */
  final WriteOutcome[] outcomes;

  final Set<Long> parts = new TreeSet<>();
  long bytes;
  boolean isCapped;

  PendingBatch(WriteBatch batch, Owner owner, WorkMeter meter) {
    this.batch = batch;
    this.owner = owner;
    this.meter = meter;
    this.outcomes = new WriteOutcome[batch.operations().size()];
    plan();
  }

  /** Works out what changes, by what is known of the collections now. */
  void plan() {
    writes.clear();
    parts.clear();
    bytes = 0;
    for (WriteOperation operation : batch.operations()) {
      PlannedWrite write = PlannedWrite.of(operation);
      writes.add(write);
      if (write != null) {
        parts.add(write.part());
        bytes += write.writtenBytes();
        isCapped |= write.state.info().cappedLimits() != null;
      }
    }
  }

  int[] partitions() {
    int[] partitions = new int[writes.size()];
    for (int i = 0; i < partitions.length; i++) {
      partitions[i] = writes.get(i) == null ? 0 : writes.get(i).partition;
    }
    return partitions;
  }
}
