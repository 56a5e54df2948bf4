package dev.orrery.storage.reshape;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.UniqueViolationException;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.keyindex.KeyIndex;
import dev.orrery.storage.physical.Checkpointer;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.physical.Collections;
import dev.orrery.storage.physical.PartitionWalk;
import dev.orrery.storage.physical.PhysicalPartition;
import dev.orrery.storage.structure.OrderedIndex;
import dev.orrery.storage.structure.PartitionFiles;
import dev.orrery.storage.structure.PrimaryKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Builds indexes over the documents of a collection while reads and writes go on. */
public final class IndexBuild {
  /*
   * First the empty indexes are hung into every partition: from then on each commit keeps them. Then
   * the documents that were there are added, some at a time, under the partition's lock; a document
   * that changed since is read again, so what is added is always its present version. When all are
   * in, the indexes are saved and the catalog says that they exist. A crash before that leaves no
   * trace but files that the next build under that number removes.
   *
   * To replace an index is to build another of the same name beside it: one catalog record puts the
   * new one in the place of the old one. Until then everybody who asks by name finds the old one,
   * which comes first among a partition's indexes.
   */
  private final EngineParts engine;
  private final ChronicleCollection collection;
  private final Runnable pause;

  public IndexBuild(EngineParts engine, ChronicleCollection collection, Runnable pause) {
    this.engine = engine;
    this.collection = collection;
    this.pause = pause;
  }

  /** Adds indexes. */
  public void run(List<IndexSpec> specs) {
    if (!specs.isEmpty()) {
      build(specs, null);
    }
  }

  /** Builds an index in place of the present one of that name. */
  public void replace(IndexSpec spec) {
    collection.requireExists();
    IndexEntry old = collection.info().index(spec.name());
    if (old == null || !old.ready()) {
      throw PartitionFiles.dropped(spec);
    }
    build(List.of(spec), old);
    engine.log().awaitDurable(engine.log().lastLsn()); // files go when the log surely says so
    engine.all().removeIndex(collection, old.id());
  }

  private void build(List<IndexSpec> specs, IndexEntry old) {
    engine.requireRoom();
    var entries = new ArrayList<IndexEntry>();
    try {
      hangIn(specs, entries);
      for (PhysicalPartition partition : collection.physicalPartitions()) {
        fill(partition, entries);
      }
      publish(entries, old);
    } catch (RuntimeException | Error e) {
      entries.forEach(entry -> remove(entry, e));
      throw e;
    }
  }

  /** A build that failed for want of room gives back at once what it took. */
  private void remove(IndexEntry entry, Throwable cause) {
    try {
      engine.all().removeIndex(collection, entry.id());
    } catch (StorageException e) {
      cause.addSuppressed(e); // dropped, most likely, and its files with it
    }
  }

  /**
   * @param entries gets what may have left a trace in some partition
   */
  private void hangIn(List<IndexSpec> specs, List<IndexEntry> entries) {
    engine.catalog().lock().lock();
    try {
      collection.requireExists();
      CollectionInfo info = collection.info();
      int nextId = info.nextIndexId();
      for (IndexSpec spec : specs) {
        entries.add(new IndexEntry(nextId++, spec, false));
      }
      // Only in memory: the numbers are taken, the log hears of the indexes when they are ready.
      collection.describe(info.withNextIndexId(nextId));
      for (PhysicalPartition partition : collection.physicalPartitions()) {
        Collections.locked(partition, () -> hangIn(partition, entries));
      }
    } finally {
      engine.catalog().lock().unlock();
    }
  }

  private void hangIn(PhysicalPartition partition, List<IndexEntry> entries) {
    PartitionFiles files = partition.files();
    for (IndexEntry entry : entries) {
      var more = new ArrayList<>(Arrays.asList(files.indexes()));
      more.add(engine.all().opener().createIndex(collection.info().id(), partition.id(), entry));
      files.replaceIndexes(more.toArray(OrderedIndex[]::new)); // one by one: the next may fail
    }
  }

  private void fill(PhysicalPartition partition, List<IndexEntry> entries) {
    var walk = new PartitionWalk(partition);
    do {
      pause.run();
      engine.requireRoom();
    } while (walk.slice(() -> requireThere(partition), id -> add(partition, id, entries)));
  }

  private static void requireThere(PhysicalPartition partition) {
    if (partition.isDropped()) {
      throw partition.gone();
    }
  }

  private void add(PhysicalPartition partition, long recordId, List<IndexEntry> entries) {
    StoredDocument stored = partition.readNow(recordId, new WorkMeter());
    if (stored == null) {
      return;
    }
    byte[] logicalKey =
        collection.keys().logicalKey(collection.keys().partitionKeyOf(stored.document()));
    for (IndexEntry entry : entries) {
      OrderedIndex index = partition.files().find(entry.id());
      for (byte[] key : index.keysOf(stored.document())) {
        if (index.unique() != null) {
          byte[] uniqueKey = PrimaryKeys.uniqueKey(logicalKey, key);
          long holder = index.unique().find(uniqueKey);
          if (holder != KeyIndex.ABSENT && holder != recordId) {
            throw new UniqueViolationException(entry.spec(), key, stored.document());
          }
          index.unique().put(uniqueKey, recordId);
        }
        index.tree().insert(key, recordId);
      }
    }
  }

  private void publish(List<IndexEntry> entries, IndexEntry old) {
    var checkpointer = new Checkpointer(engine.log());
    collection.physicalPartitions().forEach(checkpointer::save);
    engine.catalog().lock().lock();
    try {
      collection.requireExists();
      CollectionInfo info = collection.info();
      var all = new ArrayList<>(info.indexes());
      int at = old == null ? all.size() : all.indexOf(info.index(old.spec().name()));
      if (old != null) {
        all.remove(at);
      }
      for (IndexEntry entry : entries) {
        all.add(at++, new IndexEntry(entry.id(), entry.spec(), true));
      }
      engine.catalog().describeIndexes(collection, info.withIndexes(all));
    } finally {
      engine.catalog().lock().unlock();
    }
  }
}
