package dev.orrery.storage.unkind;

import dev.orrery.storage.Change;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageObserver;
import dev.orrery.storage.UniqueViolationException;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.catalog.ThroughputShares;
import dev.orrery.storage.index.IndexKeySet;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.storage.partition.Renumbering;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** Changes of collections as a whole. The world is locked. */
final class UnkindStructures {
  private final UnkindWorld world;

  UnkindStructures(UnkindWorld world) {
    this.world = world;
  }

  /** Counts a change, tells of it, and gives back what it is given. */
  <T> T tick(T result, Change... changes) {
    world.sequence++;
    for (Change change : changes) {
      note(change);
    }
    world.feed.add(world.clock.tick(), List.of(changes));
    return result;
  }

  /** Remembers names that do not stand for the same any more. */
  private void note(Change change) {
    if (!(change instanceof Change.OfStructure structure) || structure.before() == null) {
      return;
    }
    Namespace from = structure.before().namespace();
    Namespace to = structure.after() == null ? null : structure.after().namespace();
    if (!from.equals(to)) {
      world.renamed.put(from, world.sequence);
      if (to != null) {
        world.renamed.put(to, world.sequence);
      }
    }
  }

  @Nullable UnkindCollection create(
      Namespace namespace, CollectionInfo.Creation creation, UUID uuid) {
    if (world.find(namespace) != null) {
      return null;
    }
    UnkindCollection created = add(namespace, creation, uuid);
    return tick(created, new Change.OfStructure(null, created.info));
  }

  private UnkindCollection add(Namespace namespace, CollectionInfo.Creation creation, UUID uuid) {
    CollectionInfo info = written(creation.describe(world.nextCollection++, uuid, namespace));
    var collection = new UnkindCollection(world, info, world.keys(info));
    info.keptIndexes().forEach(entry -> collection.indexes.put(entry.id(), world.index(entry)));
    world.collections.put(namespace.toString(), collection);
    return collection;
  }

  boolean drop(UnkindCollection collection) {
    if (collection.isDropped) {
      return false;
    }
    forget(collection);
    world.collections.remove(collection.info.namespace().toString());
    return tick(true, new Change.OfStructure(collection.info, null));
  }

  private static void forget(UnkindCollection collection) {
    collection.isDropped = true;
    collection.byId.clear();
    collection.byKey.clear();
    collection.inOrder.clear();
    collection.sizes.clear();
    collection.total = PartitionStatistics.NONE;
    for (UnkindIndex index : collection.indexes.values()) {
      index.isDropped = true;
      index.entries.clear();
    }
  }

  @Nullable UnkindCollection replaceEmpty(
      UnkindCollection collection, CollectionInfo.Creation creation, UUID uuid) {
    if (collection.isDropped || !collection.sizes.isEmpty()) {
      return null;
    }
    forget(collection);
    UnkindCollection fresh = add(collection.info.namespace(), creation, uuid);
    return tick(
        fresh,
        new Change.OfStructure(collection.info, null),
        new Change.OfStructure(null, fresh.info));
  }

  boolean rename(UnkindCollection collection, Namespace from, Namespace to, boolean dropTarget) {
    if (from.equals(to) || world.find(from) != collection) {
      return false;
    }
    UnkindCollection target = world.find(to);
    if (target != null && (!dropTarget || target.info.isView())) {
      return false;
    }
    var changes = new ArrayList<Change>();
    if (target != null) {
      forget(target);
      changes.add(new Change.OfStructure(target.info, null));
    }
    world.collections.remove(from.toString());
    CollectionInfo before = collection.info;
    collection.info = before.withNamespace(to);
    changes.add(new Change.OfStructure(before, collection.info));
    world.collections.put(to.toString(), collection);
    return tick(true, changes.toArray(new Change[0]));
  }

  void addIndexes(UnkindCollection collection, List<IndexSpec> specs) {
    collection.requireExists();
    if (specs.isEmpty()) {
      return;
    }
    world.sequence++;
    var entries = new ArrayList<>(collection.info.indexes());
    var built = new ArrayList<UnkindIndex>();
    int id = collection.info.nextIndexId();
    for (IndexSpec spec : specs) {
      built.add(build(collection, new IndexEntry(id++, spec, true)));
    }
    for (UnkindIndex index : built) {
      hangIn(collection, index);
      entries.add(index.entry);
    }
    describe(collection, collection.info.withIndexes(entries).withNextIndexId(id));
  }

  /** An index with all documents, or why there cannot be one. */
  private UnkindIndex build(UnkindCollection collection, IndexEntry entry) {
    UnkindIndex index = world.index(entry);
    Set<List<Object>> taken = new HashSet<>();
    for (UnkindRecord record : collection.inOrder.values()) {
      UnkindRecord.Version version = record.at(UnkindWorld.NEWEST);
      if (version == null) {
        continue;
      }
      IndexKeySet keys = index.keys.extract(version.document());
      for (byte[] key : entry.spec().isUnique() ? keys.keys() : List.<byte[]>of()) {
        byte[] scope = record.key.logicalKey() == null ? new byte[0] : record.key.logicalKey();
        if (!taken.add(List.of(ByteBuffer.wrap(scope), ByteBuffer.wrap(key)))) {
          throw new UniqueViolationException(entry.spec(), key, version.document());
        }
      }
      index.add(record, keys);
    }
    return index;
  }

  private static void hangIn(UnkindCollection collection, UnkindIndex index) {
    collection.indexes.put(index.entry.id(), index);
    for (UnkindRecord record : collection.inOrder.values()) {
      if (record.last().document() != null) {
        int newest = record.versions.size() - 1;
        UnkindRecord.Version version = record.versions.get(newest);
        var keys = new HashMap<>(version.keys());
        keys.put(index.entry.id(), index.keys.extract(version.document()));
        record.versions.set(
            newest,
            new UnkindRecord.Version(
                version.sequence(), version.token(), version.document(), keys));
      }
    }
  }

  void replaceIndex(UnkindCollection collection, IndexSpec changed) {
    IndexEntry old = require(collection, changed);
    UnkindIndex index =
        build(collection, new IndexEntry(collection.info.nextIndexId(), changed, true));
    remove(collection, old);
    hangIn(collection, index);
    var entries = new ArrayList<>(collection.info.indexes());
    entries.set(entries.indexOf(old), index.entry);
    describe(
        collection, collection.info.withIndexes(entries).withNextIndexId(index.entry.id() + 1));
  }

  private static IndexEntry require(UnkindCollection collection, IndexSpec spec) {
    collection.requireExists();
    IndexEntry entry = collection.info.index(spec.name());
    if (entry == null) {
      throw UnkindPartition.dropped(spec);
    }
    return entry;
  }

  private static void remove(UnkindCollection collection, IndexEntry entry) {
    collection.indexes.remove(entry.id()).isDropped = true;
    for (UnkindRecord record : collection.inOrder.values()) {
      record.versions.replaceAll(
          version -> {
            var keys = new HashMap<>(version.keys());
            keys.remove(entry.id());
            return new UnkindRecord.Version(
                version.sequence(), version.token(), version.document(), keys);
          });
    }
  }

  boolean dropIndex(UnkindCollection collection, String name) {
    collection.requireExists();
    IndexEntry entry = collection.info.index(name);
    if (entry == null) {
      return false;
    }
    remove(collection, entry);
    var rest = new ArrayList<>(collection.info.indexes());
    rest.remove(entry);
    describe(collection, collection.info.withIndexes(rest));
    return true;
  }

  void alterIndex(UnkindCollection collection, IndexSpec changed) {
    IndexEntry old = require(collection, changed);
    var entry = new IndexEntry(old.id(), changed, old.ready());
    collection.indexes.get(old.id()).entry = entry;
    var entries = new ArrayList<>(collection.info.indexes());
    entries.set(entries.indexOf(old), entry);
    describe(collection, collection.info.withIndexes(entries));
  }

  /** A description that went to another process: what cannot be written is refused. */
  static CollectionInfo written(CollectionInfo info) {
    var message = RawDocument.of(new BsonDocument("collection", info.toBson()));
    return CollectionInfo.fromBson(message.toBsonDocument().getDocument("collection"));
  }

  private void tell(UnkindCollection collection, List<Integer> before, List<Integer> after) {
    CollectionInfo info = collection.info;
    world
        .hooks
        .observer()
        .repartitioned(
            new StorageObserver.Repartition(info.namespace(), info.uuid(), before, after, 1));
  }

  private void describe(UnkindCollection collection, CollectionInfo info) {
    CollectionInfo before = collection.info;
    collection.info = written(info);
    tick(null, new Change.OfStructure(before, info));
  }

  void split(UnkindCollection collection, int partition, String boundary) {
    collection.requireExists();
    PartitionMap.Entry entry = require(collection, partition);
    if (!entry.range().contains(boundary) || entry.range().minInclusive().equals(boundary)) {
      throw new IllegalArgumentException(boundary + " is not inside " + entry.range());
    }
    PartitionMap map = collection.info.partitions().split(partition, boundary, 0);
    List<Integer> children = List.of(map.nextId() - 2, map.nextId() - 1);
    BsonDocument throughput =
        ThroughputShares.split(collection.info.throughput(), partition, children);
    describe(collection, collection.info.withPartitions(map).withThroughput(throughput));
    tell(collection, List.of(partition), children);
  }

  int merge(UnkindCollection collection, int partition, int neighbour) {
    collection.requireExists();
    PartitionMap.Entry one = require(collection, partition);
    PartitionMap.Entry other = require(collection, neighbour);
    boolean isLower = one.range().maxExclusive().equals(other.range().minInclusive());
    PartitionMap.Entry lower = isLower ? one : other;
    PartitionMap.Entry upper = isLower ? other : one;
    if (!lower.range().maxExclusive().equals(upper.range().minInclusive())) {
      throw new IllegalArgumentException(partition + " and " + neighbour + " are no neighbours");
    }
    var none = new Renumbering(upper.range(), 0, 0, 0);
    PartitionMap map = collection.info.partitions().merge(lower, upper, none, 0);
    int merged = collection.info.partitions().nextId();
    BsonDocument throughput =
        ThroughputShares.merge(
            collection.info.throughput(),
            collection.info.partitions().size(),
            List.of(lower.id(), upper.id()),
            merged);
    describe(collection, collection.info.withPartitions(map).withThroughput(throughput));
    tell(collection, List.of(lower.id(), upper.id()), List.of(merged));
    return merged;
  }

  private static PartitionMap.Entry require(UnkindCollection collection, int partition) {
    PartitionMap.Entry entry = collection.info.partitions().find(partition);
    if (entry == null) {
      throw new StorageException(
          StorageException.Reason.PARTITION_REPLACED, "there is no partition " + partition);
    }
    return entry;
  }

  /** Compares what indexes have with what documents say. */
  List<String> validate(UnkindCollection collection) {
    var faults = new ArrayList<String>();
    for (UnkindIndex index : collection.indexes.values()) {
      long wanted = 0;
      for (UnkindRecord record : collection.inOrder.values()) {
        UnkindRecord.Version version = record.at(UnkindWorld.NEWEST);
        if (version != null) {
          for (byte[] key : index.keys.of(version.document())) {
            wanted++;
            if (!index.entries.containsKey(new UnkindIndex.Entry(key, record.order))) {
              faults.add(index.entry.spec().name() + " lacks an entry of " + record.id);
            }
          }
        }
      }
      long present =
          index.entries.entrySet().stream()
              .filter(
                  each -> {
                    var version = each.getValue().at(UnkindWorld.NEWEST);
                    return version != null && index.has(version, each.getKey().key());
                  })
              .count();
      if (present != wanted) {
        faults.add(index.entry.spec().name() + " has " + present + " entries for " + wanted);
      }
    }
    return faults;
  }
}
