package dev.orrery.storage.postgres;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CommitResult;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.View;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.index.IndexKeys;
import dev.orrery.storage.overlay.Ground;
import dev.orrery.storage.postgres.PlannedWrite.Entry;
import dev.orrery.storage.postgres.WriteFacts.RowKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What a transaction stands on: a read point, and rows that tell others what it holds. */
final class PostgresGround implements Ground {
  private static final String CLAIM =
      "SELECT r_what, r_n FROM claim_keys(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  private static final int STALE = 1;
  private static final int DUPLICATE = 3;

  private record Answer(int what, int n) {}

  private final PostgresEngine engine;
  private final PostgresView view;
  private final long owner = Calls.number();
  private final Set<RowKey> claimed = new HashSet<>();
  private boolean isCommitted;

  PostgresGround(PostgresEngine engine, PostgresView view) {
    this.engine = engine;
    this.view = view;
    engine.transactions().begin(owner);
  }

  @Override
  public View snapshot() {
    return view;
  }

  @Override
  public IndexKeys keys(IndexSpec index) {
    return engine.catalog().keys(index);
  }

  @Override
  public Claimed claim(Change change) {
    for (; ; ) {
      PlannedWrite write = PlannedWrite.of(operation(change));
      if (write == null) {
        return new Claimed(WriteOutcome.CONFLICT, 0, 0, 0);
      }
      WriteOutcome outcome = write.refusal == null ? claim(write) : write.refusal;
      if (outcome != null) {
        return new Claimed(outcome, write.partition, write.added.size(), write.removed.size());
      }
    }
  }

  private static WriteOperation operation(Change change) {
    if (change.before() == null) {
      return new WriteOperation.Insert(change.collection(), change.after());
    }
    var before = new StoredDocument(null, 0, 0, change.before());
    return change.after() == null
        ? new WriteOperation.Delete(change.collection(), before)
        : new WriteOperation.Replace(change.collection(), before, change.after());
  }

  /** Null when the catalog was not the newest. */
  private @Nullable WriteOutcome claim(PlannedWrite write) {
    var primary = new RowKey(write.collection.id(), PlannedWrite.PRIMARY, write.key.bytes());
    List<Entry> gone = uniques(write.removed);
    List<Entry> fresh = uniques(write.added);
    boolean isFirst = !claimed.contains(primary);
    Lane.requireMayWait();
    Object[] parameters = parameters(write, isFirst, gone, fresh);
    Answer answer;
    try {
      answer =
          engine
              .connections()
              .once(
                  session ->
                      session.first(
                          CLAIM, row -> new Answer(row.getInt(1), row.getInt(2)), parameters));
    } catch (LostConnectionException e) { // nobody knows what it holds now
      return WriteOutcome.CONFLICT;
    }
    if (answer == null) {
      claimed.add(primary);
      gone.forEach(one -> claimed.add(key(write, one)));
      fresh.forEach(one -> claimed.add(key(write, one)));
      return WriteOutcome.APPLIED;
    }
    if (answer.what == STALE) {
      engine.connections().wait(this::refreshed);
      return null;
    }
    return answer.what == DUPLICATE
        ? WriteOutcome.duplicate(
            fresh.get(answer.n - 1).index().spec(), fresh.get(answer.n - 1).key())
        : WriteOutcome.CONFLICT;
  }

  private boolean refreshed(DatabaseSession session) {
    engine.catalog().refresh(session, engine);
    return true;
  }

  private static List<Entry> uniques(List<Entry> entries) {
    return entries.stream().filter(entry -> entry.unique() != null).toList();
  }

  private static RowKey key(PlannedWrite write, Entry entry) {
    return new RowKey(write.collection.id(), entry.index().id(), entry.unique());
  }

  private Object[] parameters(
      PlannedWrite write, boolean isFirst, List<Entry> gone, List<Entry> fresh) {
    CollectionState seen = view.state(write.collection);
    long seenTime = seen == null ? 0 : view.timeOf(seen.part(seen.owner(write.key.epk())));
    var parameters = new ArrayList<Object>();
    parameters.addAll(
        List.of(
            write.part(),
            write.state.epoch(),
            write.collection.id(),
            owner,
            write.key.bytes(),
            write.before != null,
            isFirst,
            write.after != null,
            seenTime));
    columns(gone).appendTo(parameters);
    columns(fresh).appendTo(parameters);
    return parameters.toArray();
  }

  private static Columns columns(List<Entry> entries) {
    var columns = new Columns("ib");
    entries.forEach(entry -> columns.add(entry.index().id(), entry.unique()));
    return columns;
  }

  @Override
  public CompletionStage<CommitResult> commit(WriteBatch batch, WorkMeter meter) {
    var pending = new PendingBatch(batch, new PendingBatch.Owner(owner, claimed.size()), meter);
    return engine
        .commit(pending)
        .thenApply(
            result -> {
              isCommitted = result.receipt().time() != 0;
              return result;
            });
  }

  @Override
  public void release() {
    view.close();
    engine.transactions().end(owner);
    if (!claimed.isEmpty() && !isCommitted) {
      if (Lane.current() == Lane.EVENT_LOOP) {
        engine.connections().ask(this::released);
      } else {
        engine.connections().with(this::released);
      }
    }
    claimed.clear();
  }

  private int released(DatabaseSession session) {
    try {
      return session.update("DELETE FROM claim WHERE owner = ?", owner);
    } catch (StorageException e) {
      return 0; // they end by themselves when nobody says that they are still wanted
    }
  }
}
