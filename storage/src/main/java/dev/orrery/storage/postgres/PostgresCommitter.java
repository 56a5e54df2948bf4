package dev.orrery.storage.postgres;

import dev.orrery.storage.CommitResult;
import dev.orrery.storage.Receipt;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.WriteOutcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;
import java.util.Set;

/**
 * Commits batches in groups. Of each partition one group is under way at a time; what comes
 * meanwhile joins the next. Each batch has its own outcome.
 */
final class PostgresCommitter {
  /** More than these in one call would keep others waiting. */
  private static final int GROUP_OPERATIONS = 2_000;

  private static final long GROUP_BYTES = 16L << 20;

  private final PostgresEngine engine;
  private final List<PendingBatch> pending = new LinkedList<>();
  private final Set<Long> busy = new HashSet<>();

  PostgresCommitter(PostgresEngine engine) {
    this.engine = engine;
  }

  void add(PendingBatch batch) {
    synchronized (this) {
      pending.add(batch);
    }
    startAll();
  }

  private void startAll() {
    for (List<PendingBatch> group = take(); group != null; group = take()) {
      start(group);
    }
  }

  /** The next group none of whose partitions is busy; null when there is none. */
  private synchronized List<PendingBatch> take() {
    var group = new ArrayList<PendingBatch>();
    var parts = new HashSet<Long>();
    var passed = new HashSet<>(busy); // what came first goes first
    int operations = 0;
    long bytes = 0;
    for (Iterator<PendingBatch> all = pending.iterator(); all.hasNext(); ) {
      PendingBatch batch = all.next();
      boolean isFree = batch.parts.stream().noneMatch(passed::contains);
      boolean fits =
          group.isEmpty()
              || isGroupable(group.get(0), batch)
                  && batch.parts.stream().anyMatch(parts::contains)
                  && operations + batch.writes.size() <= GROUP_OPERATIONS
                  && bytes + batch.bytes <= GROUP_BYTES;
      if (isFree && fits) {
        all.remove();
        group.add(batch);
        parts.addAll(batch.parts);
        operations += batch.writes.size();
        bytes += batch.bytes;
      } else {
        passed.addAll(batch.parts);
      }
    }
    busy.addAll(parts);
    return group.isEmpty() ? null : group;
  }

  /** Transactions name what they hold, capped collections make room: both go alone. */
  private static boolean isGroupable(PendingBatch first, PendingBatch other) {
    return first.owner.id() == 0 && other.owner.id() == 0 && !first.isCapped && !other.isCapped;
  }

  private void start(List<PendingBatch> group) {
    var parts = new HashSet<Long>();
    group.forEach(batch -> parts.addAll(batch.parts));
    try {
      engine
          .connections()
          .run(() -> new CommitGroup(engine, group).run())
          .whenComplete((time, failure) -> ended(group, parts, time, failure));
    } catch (RuntimeException | Error e) {
      ended(group, parts, 0L, e);
    }
  }

  private void ended(List<PendingBatch> group, Set<Long> parts, Long time, Throwable failure) {
    synchronized (this) {
      busy.removeAll(parts);
    }
    for (PendingBatch batch : group) {
      if (failure != null) {
        Throwable cause =
            failure instanceof java.util.concurrent.CompletionException
                ? failure.getCause()
                : failure;
        batch.done.completeExceptionally(cause);
      } else {
        batch.done.complete(result(batch, time));
      }
    }
    try {
      startAll();
    } catch (StorageException closed) {
      fail(closed);
    }
  }

  /** Whoever waits when the engine closes is told. */
  private void fail(StorageException closed) {
    List<PendingBatch> left;
    synchronized (this) {
      left = new ArrayList<>(pending);
      pending.clear();
    }
    left.forEach(batch -> batch.done.completeExceptionally(closed));
  }

  private CommitResult result(PendingBatch batch, long time) {
    boolean isApplied = Arrays.stream(batch.outcomes).anyMatch(WriteOutcome::isApplied);
    if (isApplied) {
      for (int i = 0; i < batch.outcomes.length; i++) {
        if (batch.outcomes[i].isApplied()) {
          PlannedWrite write = batch.writes.get(i);
          batch.meter.writeDocument(write.writtenBytes(), write.added.size(), write.removed.size());
        }
      }
    }
    return new CommitResult(
        isApplied ? new PostgresReceipt(time) : Receipt.NONE,
        List.of(batch.outcomes),
        batch.partitions());
  }
}
