package dev.orrery.storage.postgres;

import dev.orrery.lane.Lane;
import dev.orrery.storage.Receipt;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageException.Reason;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** Changes of collections as a whole, each one transaction of the database. */
final class StructureChanges {
  private final PostgresEngine engine;
  private final Supplier<UUID> ids;

  /**
   * @param ids of new collections
   */
  StructureChanges(PostgresEngine engine, Supplier<UUID> ids) {
    this.engine = engine;
    this.ids = ids;
  }

  /**
   * Makes a change when nobody else makes one; asked again when the connection is lost and the
   * change is not known to be made.
   */
  <T> T change(Function<StructureChange, T> work) {
    Lane.requireMayWait();
    return engine
        .calls()
        .once(
            session -> {
              session.begin();
              var change = new StructureChange(session);
              engine.catalog().refresh(session, engine);
              T result = work.apply(change);
              return new Calls.Done<>(result, change.finish());
            },
            done -> {
              if (done.time() != 0) {
                engine.connections().with(this::refreshed);
                engine.committed(done.time());
              }
            });
  }

  private boolean refreshed(DatabaseSession session) {
    engine.catalog().refresh(session, engine);
    return true;
  }

  @Nullable PostgresCollection create(Namespace namespace, CollectionInfo.Creation creation) {
    Integer id =
        change(
            change -> {
              if (engine.catalog().find(namespace) != null) {
                return null;
              }
              CollectionInfo info =
                  creation.describe(change.nextCollection(), ids.get(), namespace);
              change.create(info);
              return info.id();
            });
    return id == null ? null : engine.catalog().find(id);
  }

  boolean drop(PostgresCollection collection, boolean isOnlyEmpty) {
    return change(
        change -> {
          CollectionState state = collection.state();
          if (state == null || isOnlyEmpty && change.lock(state.info()) > 0) {
            return false;
          }
          change.drop(state.info());
          return true;
        });
  }

  @Nullable PostgresCollection replaceEmpty(
      PostgresCollection collection, CollectionInfo.Creation creation) {
    Integer id =
        change(
            change -> {
              CollectionState state = collection.state();
              if (state == null || change.lock(state.info()) > 0) {
                return null;
              }
              change.drop(state.info());
              CollectionInfo info =
                  creation.describe(change.nextCollection(), ids.get(), state.info().namespace());
              change.create(info);
              return info.id();
            });
    return id == null ? null : engine.catalog().find(id);
  }

  boolean rename(PostgresCollection collection, Namespace from, Namespace to, boolean dropTarget) {
    return change(
        change -> {
          if (from.equals(to) || engine.catalog().find(from) != collection) {
            return false;
          }
          PostgresCollection target = engine.catalog().find(to);
          if (target != null && (!dropTarget || target.info().isView())) {
            return false;
          }
          if (target != null) {
            change.drop(target.info());
          }
          CollectionState state = collection.state();
          change.describe(state.info(), state.info().withNamespace(to), building(state));
          return true;
        });
  }

  /** The indexes of a collection that are not ready. */
  static List<IndexEntry> building(CollectionState state) {
    return state.indexes().stream()
        .filter(index -> !index.isReady())
        .map(CollectionState.Index::entry)
        .toList();
  }

  static CollectionState require(PostgresCollection collection) {
    CollectionState state = collection.state();
    if (state == null) {
      throw collection.dropped();
    }
    return state;
  }

  CollectionInfo update(PostgresCollection collection, UnaryOperator<CollectionInfo> update) {
    return change(
        change -> {
          CollectionState state = require(collection);
          CollectionInfo after = update.apply(state.info());
          change.describe(state.info(), after, building(state));
          return after;
        });
  }

  boolean dropIndex(PostgresCollection collection, String name) {
    return change(
        change -> {
          CollectionState state = require(collection);
          IndexEntry entry = state.info().index(name);
          if (entry == null) {
            return false;
          }
          var rest = new ArrayList<>(state.info().indexes());
          rest.remove(entry);
          change.describe(state.info(), state.info().withIndexes(rest), building(state));
          change.forget(state.info(), entry.id());
          return true;
        });
  }

  void alterIndex(PostgresCollection collection, IndexSpec changed) {
    change(
        change -> {
          CollectionState state = require(collection);
          IndexEntry old = state.info().index(changed.name());
          if (old == null) {
            throw PostgresPartition.dropped(changed);
          }
          var entries = new ArrayList<>(state.info().indexes());
          entries.set(entries.indexOf(old), new IndexEntry(old.id(), changed, old.ready()));
          change.describe(state.info(), state.info().withIndexes(entries), building(state));
          return null;
        });
  }

  List<BsonDocument> settings(String kind) {
    return engine
        .connections()
        .wait(
            session ->
                session.query(
                    "SELECT doc FROM settings WHERE kind = ? ORDER BY id",
                    row -> RawDocument.wrap(row.getBytes(1)).toBsonDocument(),
                    kind));
  }

  Receipt putSetting(String kind, BsonDocument document) {
    String id = document.getString("_id").getValue();
    change(
        change ->
            change
                .session()
                .update(
                    "INSERT INTO settings (kind, id, doc) VALUES (?, ?, ?)"
                        + " ON CONFLICT (kind, id) DO UPDATE SET doc = excluded.doc",
                    kind,
                    id,
                    PostgresCatalog.bytes(document)));
    return engine.receipt();
  }

  boolean removeSetting(String kind, String id) {
    return change(
        change ->
            change.session().update("DELETE FROM settings WHERE kind = ? AND id = ?", kind, id)
                > 0);
  }

  Receipt announce(BsonDocument announcement) {
    change(
        change -> {
          change.announce(announcement);
          return null;
        });
    return engine.receipt();
  }

  /** Refuses to split or merge a partition that is not there. */
  static StorageException noPartition(int partition) {
    return new StorageException(Reason.PARTITION_REPLACED, "there is no partition " + partition);
  }
}
