package dev.orrery.storage.postgres;

import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.postgres.PlannedWrite.Entry;
import dev.orrery.storage.postgres.WriteFacts.RowKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/*
 * The operations of a group are gone through in order, as if each were applied at once: each sees
 * what those before it did, and what the database told of the rest. What nobody knows yet is taken
 * for granted, and checked by the database when all is applied. If it told otherwise, the plan is made
 * again with that.
 */

/** What becomes of the operations of a group, and what must hold for it. */
final class GroupPlan {
  private static final long LOOK_AGAIN_MILLIS = 20;

  /** Numbers of records are those of their collection. */
  private record Rid(int collection, long record) {
    static Rid of(PlannedWrite write) {
      return new Rid(write.collection.id(), write.before.recordId());
    }
  }

  private final WriteFacts facts;
  private final long limit;

  /** In the order in which they are applied. */
  final List<PlannedWrite> applied = new ArrayList<>();

  /** Unique keys that no record may have before the group. */
  final Set<RowKey> mustBeFree = new LinkedHashSet<>();

  /** Whether a key is there after the operations so far; absent when none of them touched it. */
  private final Map<RowKey, Boolean> touched = new HashMap<>();

  private final Map<RowKey, Long> growth = new HashMap<>();
  private final Set<Rid> changed = new HashSet<>();
  private final Deque<Runnable> undo = new ArrayDeque<>();

  GroupPlan(WriteFacts facts, long limit) {
    this.facts = facts;
    this.limit = limit;
  }

  /** The end of a transaction, which may be another server's, is not told: it is looked for. */
  private static CompletionStage<?> soon() {
    return new CompletableFuture<Void>()
        .completeOnTimeout(null, LOOK_AGAIN_MILLIS, TimeUnit.MILLISECONDS);
  }

  void add(PendingBatch batch) {
    undo.clear();
    WriteOutcome[] outcomes = batch.outcomes;
    if (batch.writes.stream().anyMatch(facts.claimed::contains)) {
      Arrays.fill(outcomes, WriteOutcome.claimed(soon()));
      return;
    }
    WriteBatch.OnFailure onFailure = batch.batch.onFailure();
    boolean isStopped = false;
    for (int i = 0; i < outcomes.length; i++) {
      PlannedWrite write = batch.writes.get(i);
      outcomes[i] = WriteOutcome.NOT_APPLIED;
      if (!isStopped) {
        outcomes[i] = write == null ? WriteOutcome.CONFLICT : apply(write, batch);
        isStopped = !outcomes[i].isApplied() && onFailure != WriteBatch.OnFailure.CONTINUE;
      }
    }
    if (isStopped && onFailure == WriteBatch.OnFailure.APPLY_NONE) {
      while (!undo.isEmpty()) {
        undo.pop().run();
      }
      for (int i = 0; i < outcomes.length; i++) {
        outcomes[i] = outcomes[i].isApplied() ? WriteOutcome.NOT_APPLIED : outcomes[i];
      }
    }
  }

  /** Deletes what no operation asked for. */
  void pushOut(PlannedWrite delete) {
    applied.add(delete);
  }

  private WriteOutcome apply(PlannedWrite write, PendingBatch batch) {
    WriteOutcome refusal = refusal(write, batch);
    if (refusal != null) {
      return refusal;
    }
    long part = write.part();
    if (write.kind == PlannedWrite.INSERT) {
      comes(primary(write));
    } else {
      if (write.kind == PlannedWrite.DELETE) {
        touch(primary(write), false);
      }
      change(Rid.of(write));
    }
    for (Entry entry : write.removed) {
      if (entry.unique() != null) {
        touch(new RowKey(part, entry.index().id(), entry.unique()), false);
      }
    }
    for (Entry entry : write.added) {
      if (entry.unique() != null) {
        RowKey key = new RowKey(part, entry.index().id(), entry.unique());
        if (batch.owner.id() == 0) {
          comes(key);
        } else {
          touch(key, true); // it has seen to it that nobody else has it
        }
      }
    }
    grow(new RowKey(part, 0, write.pkey()), write.growth());
    applied.add(write);
    undo.push(() -> applied.remove(applied.size() - 1));
    return WriteOutcome.APPLIED;
  }

  private static RowKey primary(PlannedWrite write) {
    return new RowKey(write.part(), PlannedWrite.PRIMARY, write.key.bytes());
  }

  private @Nullable WriteOutcome refusal(PlannedWrite write, PendingBatch batch) {
    if (write.before != null
        && (facts.outdated.contains(write) || changed.contains(Rid.of(write)))) {
      return WriteOutcome.CONFLICT;
    }
    if (write.refusal != null) {
      return write.refusal;
    }
    if (write.kind == PlannedWrite.INSERT && isTaken(primary(write))) {
      return write.duplicateId();
    }
    for (Entry entry : write.added) {
      RowKey key =
          entry.unique() == null
              ? new RowKey(write.part(), entry.index().id(), entry.key())
              : new RowKey(write.part(), entry.index().id(), entry.unique());
      boolean isTaken =
          entry.unique() == null
              ? facts.shared.contains(key)
              : batch.owner.id() == 0 && isTaken(key);
      if (isTaken) {
        return WriteOutcome.duplicate(entry.index().spec(), entry.key());
      }
    }
    return isFull(write) ? WriteOutcome.partitionKeyFull(limit) : null;
  }

  private boolean isTaken(RowKey key) {
    Boolean isThere = touched.get(key);
    return isThere == null ? facts.taken.contains(key) : isThere;
  }

  private boolean isFull(PlannedWrite write) {
    var key = new RowKey(write.part(), 0, write.pkey());
    Long size = facts.sizes.get(key);
    return size != null
        && write.growth() > 0
        && size + growth.getOrDefault(key, 0L) + write.growth() > limit;
  }

  /** A key that nobody may have had, unless it went in this group. */
  private void comes(RowKey key) {
    if (!touched.containsKey(key) && mustBeFree.add(key)) {
      undo.push(() -> mustBeFree.remove(key));
    }
    touch(key, true);
  }

  private void touch(RowKey key, boolean isThere) {
    Boolean before = touched.put(key, isThere);
    undo.push(
        () -> {
          if (before == null) {
            touched.remove(key);
          } else {
            touched.put(key, before);
          }
        });
  }

  private void change(Rid record) {
    changed.add(record);
    undo.push(() -> changed.remove(record));
  }

  private void grow(RowKey key, long bytes) {
    growth.merge(key, bytes, Long::sum);
    undo.push(() -> growth.merge(key, -bytes, Long::sum));
  }
}
