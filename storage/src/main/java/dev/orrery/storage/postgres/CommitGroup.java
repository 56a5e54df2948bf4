package dev.orrery.storage.postgres;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.WriteOutcome;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One group of batches at work, on a thread that may ask the database. */
final class CommitGroup {
  /** After so many answers that were overtaken by others, writers read again. */
  private static final int TRIES_MAX = 20;

  private final PostgresEngine engine;
  private final List<PendingBatch> batches;
  private final long deadline = Calls.deadline();
  private WriteFacts facts = new WriteFacts();

  CommitGroup(PostgresEngine engine, List<PendingBatch> batches) {
    this.engine = engine;
    this.batches = batches;
  }

  /** Commits it; its cluster time, 0 when nothing was applied. */
  long run() {
    for (int tries = 0; tries < TRIES_MAX; tries++) {
      var plan = new GroupPlan(facts, engine.options().limits().logicalPartitionBytes());
      batches.forEach(plan::add);
      if (plan.applied.isEmpty()) {
        return 0;
      }
      Long time = commit(plan);
      if (time != null) {
        engine.committed(time);
        return time;
      }
    }
    batches.forEach(batch -> Arrays.fill(batch.outcomes, WriteOutcome.CONFLICT));
    return 0;
  }

  /** The cluster time; null when something stood in the way, which is known now. */
  private @Nullable Long commit(GroupPlan plan) {
    long id = Calls.number();
    DatabaseSession session;
    try {
      session = engine.connections().take();
    } catch (LostConnectionException e) {
      Calls.pause(e, deadline);
      return null;
    }
    try {
      Long time = attempt(session, plan, id);
      engine.connections().give(session);
      return time;
    } catch (LostConnectionException e) {
      session.close();
      Long time = engine.calls().resolve(session.slot, id);
      if (time == null) {
        Calls.pause(e, deadline);
      }
      return time;
    } catch (RuntimeException | Error e) {
      engine.connections().giveAfterFailure(session);
      throw e;
    }
  }

  private @Nullable Long attempt(DatabaseSession session, GroupPlan plan, long id) {
    boolean isCapped = batches.get(0).isCapped;
    if (isCapped) {
      session.begin();
      CappedRoom.make(session, plan);
    }
    var call = new CommitCall(engine, plan, batches.get(0).owner);
    CommitCall.End end = call.run(session, id, facts);
    if (end == CommitCall.End.APPLIED) {
      if (isCapped) {
        session.commit();
      }
      session.lastCall = id;
      return call.time();
    }
    session.rollBack();
    if (end == CommitCall.End.CLAIMS_LOST) {
      throw new StorageException(
          StorageException.Reason.POINT_LOST, "the database has lost what a transaction held");
    }
    if (end == CommitCall.End.STALE) {
      engine.catalog().refresh(session, engine);
      batches.forEach(PendingBatch::plan);
      facts = new WriteFacts();
    }
    return null;
  }
}
