package dev.orrery.storage.reshape;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.Receipt;
import dev.orrery.storage.catalog.Catalog;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.PastCollections;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.log.RecordGroup;
import dev.orrery.storage.physical.AllLocks;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.physical.Collections;
import dev.orrery.storage.physical.PhysicalPartition;
import dev.orrery.storage.structure.CatalogRecord;
import dev.orrery.storage.structure.DataRecord;
import dev.orrery.value.Namespace;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * Changes of the catalog: collections, their descriptions, and the server's own settings. Each is a
 * record of the log, made under one lock: first the log, then the catalog, then what others see.
 */
public final class CatalogChanges {
  private final ReentrantLock lock = new ReentrantLock();
  private final EngineParts engine;
  private final Log log;
  private final Collections collections;
  private final Catalog catalog;
  private final Supplier<UUID> ids;

  /**
   * @param ids give each collection one
   */
  public CatalogChanges(
      EngineParts engine, Log log, Collections collections, Catalog catalog, Supplier<UUID> ids) {
    this.engine = engine;
    this.log = log;
    this.collections = collections;
    this.catalog = catalog;
    this.ids = ids;
  }

  /** Held while the log and the checkpoint file are written. */
  public ReentrantLock lock() {
    Lane.requireMayWait();
    return lock;
  }

  /** The present state, to be saved. The lock must be held. */
  public BsonDocument toBson() {
    return catalog.toBson();
  }

  public CollectionStore create(Namespace namespace, CollectionInfo.Creation creation) {
    lock().lock();
    try {
      if (collections.find(namespace) != null) {
        return null;
      }
      CollectionInfo info = describe(namespace, creation);
      catalog.put(info, record(CatalogRecord.put(info, null)));
      return collections.add(info);
    } finally {
      lock.unlock();
    }
  }

  private CollectionInfo describe(Namespace namespace, CollectionInfo.Creation creation) {
    return creation.describe(catalog.nextCollectionId(), ids.get(), namespace);
  }

  public CollectionStore replaceEmpty(
      CollectionStore collection, CollectionInfo.Creation creation) {
    var old = (ChronicleCollection) collection;
    return ifEmpty(
        old,
        () -> {
          CollectionInfo info = describe(old.info().namespace(), creation);
          // In one group: a crash leaves the old collection or the new one.
          long lsn = record(CatalogRecord.drop(old.info()), CatalogRecord.put(info, null));
          log.awaitDurable(lsn);
          catalog.put(info, lsn);
          CollectionStore replacement = collections.add(info); // nobody finds none in between
          forget(old, lsn);
          return replacement;
        });
  }

  public boolean dropEmpty(CollectionStore collection) {
    var empty = (ChronicleCollection) collection;
    Boolean isDropped =
        ifEmpty(
            empty,
            () -> {
              dropLocked(empty);
              return true;
            });
    return isDropped != null;
  }

  /** Changes a collection that is empty and stays so meanwhile; null when it is not, or gone. */
  private <T> @Nullable T ifEmpty(ChronicleCollection collection, Supplier<T> change) {
    collection.structureLock().lock();
    lock().lock();
    // Whoever holds these is alone: a commit under way has ended, the next one finds them dropped.
    var writers =
        new AllLocks(
            collection.physicalPartitions().stream().map(partition -> partition.lock).toList());
    writers.lock();
    try {
      boolean isEmpty =
          collection.exists()
              && collection.physicalPartitions().stream().allMatch(PhysicalPartition::isEmpty);
      return isEmpty ? change.get() : null;
    } finally {
      writers.unlock();
      lock.unlock();
      collection.structureLock().unlock();
    }
  }

  public boolean drop(CollectionStore collection) {
    return alone(
        () -> {
          boolean isThere = collection.exists();
          if (isThere) {
            dropLocked((ChronicleCollection) collection);
          }
          return isThere;
        });
  }

  private void dropLocked(ChronicleCollection collection) {
    long lsn = recordFreeing(CatalogRecord.drop(collection.info()));
    log.awaitDurable(lsn); // files go when the log says so
    forget(collection, lsn);
  }

  private void forget(ChronicleCollection collection, long lsn) {
    catalog.drop(collection.info().id(), lsn);
    collections.drop(collection);
    engine.countDropped(collection);
  }

  public boolean rename(
      CollectionStore collection, Namespace from, Namespace to, boolean dropTarget) {
    lock().lock();
    try {
      // Another rename may have come first: what has the name now is another collection, or the
      // same one is there already, which must not be dropped for itself.
      if (from.equals(to) || collections.find(from) != collection) {
        return false;
      }
      var target = collections.find(to);
      if (target != null && (!dropTarget || target.info().isView())) {
        return false;
      }
      var renamed = (ChronicleCollection) collection;
      CollectionInfo info = renamed.info().withNamespace(to);
      byte[] put = CatalogRecord.put(info, renamed.info());
      long lsn;
      if (target == null) {
        lsn = record(put);
      } else {
        // In one group: a crash must not leave the one dropped and the other not renamed.
        lsn = record(CatalogRecord.drop(target.info()), put);
        log.awaitDurable(lsn);
      }
      catalog.put(info, lsn);
      renamed.describe(info);
      collections.rename(renamed, from);
      if (target != null) {
        forget(target, lsn); // nobody finds none in between
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Whether a name stands for the same collection as after that group of the log. */
  public boolean isSame(Namespace namespace, long lsn) {
    ChronicleCollection present = collections.find(namespace);
    return catalog.past().isSame(namespace, present == null ? 0 : present.info().id(), lsn);
  }

  public CollectionInfo update(CollectionStore collection, UnaryOperator<CollectionInfo> change) {
    lock().lock();
    try {
      var target = (ChronicleCollection) collection;
      target.requireExists();
      var changed = change.apply(collection.info());
      describe(target, changed);
      return changed;
    } finally {
      lock.unlock();
    }
  }

  private long put(ChronicleCollection collection, CollectionInfo info) {
    collection.requireExists(); // a record after that of the drop would bring it back
    long lsn = record(CatalogRecord.put(info, collection.info()));
    catalog.put(info, lsn);
    return lsn;
  }

  /** Records and publishes a new description. The lock must be held. */
  void describe(ChronicleCollection collection, CollectionInfo info) {
    put(collection, info);
    collection.describe(info);
  }

  /** The same with other indexes, in the partitions first: who hears of one finds it in all. */
  void describeIndexes(ChronicleCollection collection, CollectionInfo info) {
    long lsn = put(collection, info);
    collections.describeIndexes(collection, info.indexes(), lsn);
    collection.describe(info);
  }

  /** The same of what makes room; returns when the log surely has it, so that files may go. */
  void describeFreeing(ChronicleCollection collection, CollectionInfo info) {
    long lsn = recordFreeing(CatalogRecord.put(info, collection.info()));
    log.awaitDurable(lsn);
    catalog.put(info, lsn);
    collection.describe(info);
  }

  /**
   * Records and publishes a description with other partitions; returns the sequence number. The
   * lock must be held.
   */
  long repartition(
      ChronicleCollection collection, CollectionInfo info, List<PhysicalPartition> partitions) {
    long lsn = put(collection, info);
    collection.repartition(info, partitions, lsn, engine.points().oldest());
    return lsn;
  }

  /** What collections were called before. */
  public PastCollections past() {
    return catalog.past();
  }

  public Receipt announce(BsonDocument announcement) {
    return alone(
        () -> {
          record(CatalogRecord.announce(announcement));
          return log.receipt(log.last());
        });
  }

  public List<BsonDocument> settings(String kind) {
    return alone(() -> catalog.settings(kind));
  }

  public Receipt putSetting(String kind, BsonDocument document) {
    return alone(
        () -> {
          record(CatalogRecord.putSetting(kind, document));
          catalog.putSetting(kind, document);
          return log.receipt(log.last());
        });
  }

  public boolean removeSetting(String kind, String id) {
    return alone(
        () -> {
          if (catalog.hasSetting(kind, id)) { // or a full disk would bring it back
            recordFreeing(CatalogRecord.removeSetting(kind, id));
          }
          return catalog.removeSetting(kind, id);
        });
  }

  private <T> T alone(Supplier<T> change) {
    lock().lock();
    try {
      return change.get();
    } finally {
      lock.unlock();
    }
  }

  private long record(byte[]... payloads) {
    engine.diskSpace().require(Arrays.stream(payloads).mapToLong(payload -> payload.length).sum());
    return recordFreeing(payloads);
  }

  /** What makes room is not asked for any. */
  private long recordFreeing(byte[]... payloads) {
    engine.requireOpen();
    var group = new RecordGroup();
    for (byte[] payload : payloads) {
      group.add(DataRecord.CATALOG, new byte[0], payload);
    }
    return log.append(group).lsn();
  }
}
