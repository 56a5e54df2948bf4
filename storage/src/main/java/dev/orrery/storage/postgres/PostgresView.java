package dev.orrery.storage.postgres;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.View;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawValue;
import java.sql.Connection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a transaction of the database saw when it began: a REPEATABLE READ that only reads. */
final class PostgresView implements View, Reader {
  private static final String PART_TIME = "SELECT time FROM partition WHERE part = ?";

  private final PostgresEngine engine;
  private final DatabaseSession session;
  private final PostgresCatalog.Snapshot snapshot;
  private final long time;
  private final Map<Long, Long> partTimes = new HashMap<>();
  private CompletableFuture<?> last = CompletableFuture.completedFuture(null);
  private boolean isClosed;

  private PostgresView(
      PostgresEngine engine,
      DatabaseSession session,
      PostgresCatalog.Snapshot snapshot,
      long time) {
    this.engine = engine;
    this.session = session;
    this.snapshot = snapshot;
    this.time = time;
  }

  static PostgresView open(PostgresEngine engine) {
    Lane.requireMayWait();
    for (int tries = 0; ; tries++) {
      DatabaseSession session = engine.connections().takeView();
      try {
        long time = engine.clock().now();
        session.begin(Connection.TRANSACTION_REPEATABLE_READ, true);
        PostgresCatalog.Snapshot seen = engine.catalog().load(session, engine.catalog().newest());
        return new PostgresView(engine, session, seen, time);
      } catch (LostConnectionException e) {
        engine.connections().giveView(session);
        if (tries > 0) {
          throw new StorageException(StorageException.Reason.UNAVAILABLE, e.getMessage(), e);
        }
      } catch (RuntimeException | Error e) {
        engine.connections().giveView(session);
        throw e;
      }
    }
  }

  @Override
  public boolean hasSame(Namespace namespace) {
    PostgresCollection present = engine.catalog().find(namespace);
    int id = present == null ? 0 : present.info().id();
    for (CollectionState state : snapshot.states().values()) {
      boolean hadName = state.info().namespace().equals(namespace);
      if (hadName != (state.info().id() == id)) {
        return false;
      }
    }
    return true;
  }

  /** One question after the other: it is one connection. */
  @Override
  public synchronized <T> CompletionStage<T> ask(Function<DatabaseSession, T> question) {
    requireOpen();
    CompletableFuture<T> answer =
        last.handle((done, failure) -> null)
            .thenCompose(
                free -> engine.connections().run(() -> answer(question)).toCompletableFuture());
    last = answer;
    return answer;
  }

  private <T> T answer(Function<DatabaseSession, T> question) {
    requireOpen();
    try {
      return question.apply(session);
    } catch (LostConnectionException e) {
      throw new StorageException(
          StorageException.Reason.POINT_LOST, "the point was lost with its connection", e);
    }
  }

  @Override
  public <T> T wait(Function<DatabaseSession, T> question) {
    Lane.requireMayWait();
    return Lane.await(ask(question));
  }

  private synchronized void requireOpen() {
    if (isClosed) {
      throw new StorageException(StorageException.Reason.POINT_LOST, "the point is over");
    }
  }

  @Override
  public @Nullable CollectionState state(PostgresCollection collection) {
    collection.requireExists();
    return snapshot.states().get(collection.id());
  }

  @Override
  public boolean refresh(DatabaseSession ignored) {
    return false; // nothing changes here
  }

  /** The last commit of a partition that is seen. */
  long timeOf(long part) {
    synchronized (partTimes) {
      return partTimes.computeIfAbsent(
          part,
          unknown -> {
            Long found = wait(one -> one.first(PART_TIME, row -> row.getLong(1), part));
            return found == null ? 0 : found;
          });
    }
  }

  /** That of a collection which was made after the point is its present one: it is empty. */
  private CollectionInfo info(CollectionStore collection) {
    CollectionState state = state((PostgresCollection) collection);
    return state == null ? collection.info() : state.info();
  }

  @Override
  public List<PartitionStore> partitions(CollectionStore collection) {
    return ((PostgresCollection) collection).partitions(this, info(collection));
  }

  @Override
  public PartitionStore partitionOf(CollectionStore collection, @Nullable RawValue partitionKey) {
    var of = (PostgresCollection) collection;
    return of.owner(this, info(collection), of.keys.epk(partitionKey));
  }

  @Override
  public boolean has(CollectionStore collection, IndexSpec index) {
    CollectionState state = state((PostgresCollection) collection);
    return state != null && state.find(index) != null;
  }

  @Override
  public long time() {
    return time;
  }

  @Override
  public void close() {
    CompletableFuture<?> busy;
    synchronized (this) {
      if (isClosed) {
        return;
      }
      isClosed = true;
      busy = last;
    }
    // The connection is free when its last question is answered, whoever asked it.
    busy.whenComplete((done, failure) -> engine.connections().release(session));
  }
}
