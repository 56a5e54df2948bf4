package dev.orrery.storage.postgres;

import dev.orrery.lane.Lane;
import dev.orrery.storage.ChangeFeed;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.CommitClock;
import dev.orrery.storage.CommitResult;
import dev.orrery.storage.DiskRoom;
import dev.orrery.storage.Receipt;
import dev.orrery.storage.RepairResult;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageHooks;
import dev.orrery.storage.StorageObserver;
import dev.orrery.storage.Transaction;
import dev.orrery.storage.View;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.overlay.OverlayTransaction;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawValue;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** An engine that keeps everything in PostgreSQL; any number of servers may share a database. */
public final class PostgresEngine implements StorageEngine {
  private static final String DISK =
      "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c JOIN"
          + " pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ? AND c.relkind = 'r'";

  private final PostgresOptions options;
  private final StorageObserver observer;
  private final Connections connections;
  private final PostgresCatalog catalog;
  private final Calls calls;
  private final CommitClock clock = new CommitClock(Clock.systemUTC());
  private final PartFacts facts = new PartFacts();
  private final NewestReader newestReader = new NewestReader(this);
  private final PostgresCommitter committer = new PostgresCommitter(this);
  private final StructureChanges structures = new StructureChanges(this, UUID::randomUUID);
  private final StructureLock lock = new StructureLock(this);
  private final OpenTransactions transactions = new OpenTransactions();
  private final PostgresFeed feed = new PostgresFeed(this);
  private final Upkeep upkeep;
  private volatile long lastTime;

  private PostgresEngine(PostgresOptions options, StorageHooks hooks) {
    this.options = options;
    this.observer = hooks.observer();
    this.connections = new Connections(options);
    this.calls = new Calls(connections);
    this.catalog = new PostgresCatalog(hooks);
    try {
      connections.with(this::prepare);
      endBuilds();
    } catch (RuntimeException | Error e) {
      connections.close();
      throw e;
    }
    this.upkeep = new Upkeep(this);
  }

  /** Opens a database, and makes its tables if there are none. Waits while it is away. */
  public static PostgresEngine open(PostgresOptions options, StorageHooks hooks) {
    return new PostgresEngine(options, hooks);
  }

  private boolean prepare(DatabaseSession session) {
    Layout.prepare(session, options.schema());
    catalog.refresh(session, this);
    Long time = session.first("SELECT max(time) FROM partition", row -> row.getLong(1));
    committed(time);
    feed.trimmedTo(session.first("SELECT time FROM trimmed", row -> row.getLong(1)));
    return true;
  }

  /** Removes indexes that a server was building which is there no more. */
  private void endBuilds() {
    for (PostgresCollection collection : catalog.collections()) {
      if (!StructureChanges.building(collection.state()).isEmpty()) {
        structures.change(
            change -> {
              CollectionState state = collection.state();
              if (state != null && lock.isFree(change.session(), collection.id())) {
                List<Integer> ids =
                    StructureChanges.building(state).stream().map(IndexEntry::id).toList();
                PostgresIndexBuild.remove(change, state, ids);
              }
              return null;
            });
      }
    }
  }

  PostgresOptions options() {
    return options;
  }

  StorageObserver observer() {
    return observer;
  }

  Connections connections() {
    return connections;
  }

  PostgresCatalog catalog() {
    return catalog;
  }

  Calls calls() {
    return calls;
  }

  PartFacts facts() {
    return facts;
  }

  PostgresFeed feed() {
    return feed;
  }

  StructureChanges structures() {
    return structures;
  }

  OpenTransactions transactions() {
    return transactions;
  }

  NewestReader newestReader() {
    return newestReader;
  }

  /** Hears of a commit, ours or another's. */
  void committed(long time) {
    synchronized (clock) {
      lastTime = Math.max(lastTime, time);
    }
    clock.advanceTo(time);
    feed.heard(time);
  }

  /** How often somebody waited for an answer of the database, so far. */
  public long roundTrips() {
    return connections.trips();
  }

  @Override
  public List<CollectionStore> collections() {
    return List.copyOf(catalog.collections());
  }

  @Override
  public @Nullable CollectionStore find(Namespace namespace) {
    return catalog.find(namespace);
  }

  @Override
  public View pin() {
    return PostgresView.open(this);
  }

  /** The database keeps nothing of a past in which nobody read. */
  @Override
  public View pin(long time) {
    if (Long.compareUnsigned(time, clock.now()) < 0) {
      throw new StorageException(StorageException.Reason.POINT_LOST, "that was too long ago");
    }
    return pin();
  }

  @Override
  public Transaction begin(long time) {
    Lane.requireMayWait();
    var view = (PostgresView) (time == 0 ? pin() : pin(time));
    return new OverlayTransaction(new PostgresGround(this, view));
  }

  @Override
  public CompletionStage<CommitResult> commit(WriteBatch batch, WorkMeter meter) {
    return commit(new PendingBatch(batch, PendingBatch.Owner.NOBODY, meter));
  }

  CompletionStage<CommitResult> commit(PendingBatch batch) {
    Lane.requireMayWait();
    committer.add(batch);
    return batch.done;
  }

  @Override
  public ChangeFeed changes() {
    return feed;
  }

  @Override
  public CommitClock clock() {
    return clock;
  }

  @Override
  public Receipt receipt() {
    return new PostgresReceipt(lastTime);
  }

  @Override
  public long diskBytes() {
    return connections.wait(
        session -> session.first(DISK, row -> row.getLong(1), options.schema()));
  }

  /** How large the database's disk is, the database does not tell. */
  @Override
  public DiskRoom diskRoom() {
    return new DiskRoom(0, 0);
  }

  @Override
  public @Nullable CollectionStore create(Namespace namespace, CollectionInfo.Creation creation) {
    return structures.create(namespace, creation);
  }

  @Override
  public boolean drop(CollectionStore collection) {
    return structures.drop((PostgresCollection) collection, false);
  }

  @Override
  public boolean dropEmpty(CollectionStore collection) {
    return structures.drop((PostgresCollection) collection, true);
  }

  @Override
  public @Nullable CollectionStore replaceEmpty(
      CollectionStore collection, CollectionInfo.Creation creation) {
    return structures.replaceEmpty((PostgresCollection) collection, creation);
  }

  @Override
  public boolean rename(
      CollectionStore collection, Namespace from, Namespace to, boolean dropTarget) {
    return structures.rename((PostgresCollection) collection, from, to, dropTarget);
  }

  @Override
  public CollectionInfo update(CollectionStore collection, UnaryOperator<CollectionInfo> change) {
    return structures.update((PostgresCollection) collection, change);
  }

  @Override
  public void createIndexes(
      CollectionStore collection,
      Function<CollectionInfo, List<IndexSpec>> missing,
      Runnable pause) {
    var of = (PostgresCollection) collection;
    lock.with(
        of,
        () -> {
          new PostgresIndexBuild(this, of, pause).create(missing);
          return null;
        });
  }

  @Override
  public void replaceIndex(CollectionStore collection, IndexSpec changed) {
    var of = (PostgresCollection) collection;
    lock.with(
        of,
        () -> {
          new PostgresIndexBuild(this, of, () -> {}).replace(changed);
          return null;
        });
  }

  @Override
  public boolean dropIndex(CollectionStore collection, String name) {
    return structures.dropIndex((PostgresCollection) collection, name);
  }

  @Override
  public void alterIndex(CollectionStore collection, IndexSpec changed) {
    structures.alterIndex((PostgresCollection) collection, changed);
  }

  @Override
  public List<BsonDocument> settings(String kind) {
    return structures.settings(kind);
  }

  @Override
  public Receipt putSetting(String kind, BsonDocument document) {
    return structures.putSetting(kind, document);
  }

  @Override
  public boolean removeSetting(String kind, String id) {
    return structures.removeSetting(kind, id);
  }

  @Override
  public Receipt announce(BsonDocument announcement) {
    return structures.announce(announcement);
  }

  @Override
  public void split(CollectionStore collection, int partition, String boundary, Runnable pause) {
    var of = (PostgresCollection) collection;
    lock.with(
        of,
        () -> {
          pause.run();
          new Repartition(this, of).split(partition, boundary);
          return null;
        });
  }

  @Override
  public int merge(CollectionStore collection, int partition, int neighbour, Runnable pause) {
    var of = (PostgresCollection) collection;
    return lock.with(
        of,
        () -> {
          pause.run();
          return new Repartition(this, of).merge(partition, neighbour);
        });
  }

  private PostgresValidation.Faults faults(PostgresCollection collection) {
    try (PostgresView view = PostgresView.open(this)) {
      CollectionState state = collection.exists() ? view.state(collection) : null;
      return state == null || state.info().isView()
          ? new PostgresValidation.Faults(List.of(), Set.of(), 0, 0)
          : view.wait(session -> PostgresValidation.run(collection, state, session));
    }
  }

  @Override
  public List<String> validate(CollectionStore collection) {
    return faults((PostgresCollection) collection).lines();
  }

  /** Builds indexes anew that disagree with the documents. */
  @Override
  public RepairResult repair(CollectionStore collection, Runnable pause) {
    var of = (PostgresCollection) collection;
    of.requireExists();
    PostgresValidation.Faults faults = faults(of);
    for (IndexEntry entry : of.info().indexes()) {
      if (faults.indexes().contains(entry.id())) {
        pause.run();
        replaceIndex(of, entry.spec());
      }
    }
    List<String> remaining = new ArrayList<>();
    if (!faults.lines().isEmpty()) {
      remaining.addAll(validate(of));
    }
    return new RepairResult(faults.lines(), remaining, faults.missing(), faults.extra(), List.of());
  }

  /** What the database cannot read, it has to mend by itself. */
  @Override
  public Receipt discard(CollectionStore collection, @Nullable RawValue partitionKey, RawValue id) {
    return Receipt.NONE;
  }

  /** For tests that count questions, or want an old catalog. */
  void stopUpkeep() {
    upkeep.close();
  }

  @Override
  public void close() {
    upkeep.close();
    connections.close();
  }
}
