package dev.orrery.storage.unkind;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.WriteKey;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.storage.structure.PrimaryKey;
import dev.orrery.storage.structure.PrimaryKeys;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A collection: its records in one heap, of which partitions are parts. */
final class UnkindCollection implements CollectionStore {
  /** Bytes and documents of one partition key. */
  static final class Size {
    long bytes;
    long documents;
  }

  final UnkindWorld world;
  final PrimaryKeys keys;
  final Map<ByteBuffer, List<UnkindRecord>> byKey = new HashMap<>();
  final Map<Long, UnkindRecord> byId = new HashMap<>();
  final TreeMap<Long, UnkindRecord> inOrder = new TreeMap<>();
  final Map<Integer, UnkindIndex> indexes = new HashMap<>();

  /** By effective partition key, then by partition key. */
  final TreeMap<String, Map<ByteBuffer, Size>> sizes = new TreeMap<>();

  /** Of all partitions. */
  PartitionStatistics total = PartitionStatistics.NONE;

  volatile CollectionInfo info;
  volatile boolean isDropped;

  UnkindCollection(UnkindWorld world, CollectionInfo info, PrimaryKeys keys) {
    this.world = world;
    this.info = info;
    this.keys = keys;
  }

  @Override
  public CollectionInfo info() {
    return info;
  }

  @Override
  public @Nullable IndexSpec keyIndex() {
    CollectionInfo.IndexEntry own = info.keyIndex();
    return own == null ? null : own.spec();
  }

  /** The index of that name, or null. */
  @Nullable UnkindIndex index(String name) {
    for (CollectionInfo.IndexEntry entry : info.keptIndexes()) {
      if (entry.spec().name().equals(name)) {
        return indexes.get(entry.id());
      }
    }
    return null;
  }

  @Override
  public List<PartitionStore> partitions() {
    return partitions(UnkindWorld.NEWEST);
  }

  List<PartitionStore> partitions(long sequence) {
    var partitions = new ArrayList<PartitionStore>();
    if (!info.isView()) {
      for (PartitionMap.Entry entry : info.partitions().entries()) {
        partitions.add(new UnkindPartition(this, entry.id(), entry.range(), sequence));
      }
    }
    return partitions;
  }

  @Override
  public PartitionStore partitionOf(@Nullable RawValue partitionKey) {
    return partitionOf(partitionKey, UnkindWorld.NEWEST);
  }

  PartitionStore partitionOf(@Nullable RawValue partitionKey, long sequence) {
    return owner(keys.epk(partitionKey), sequence);
  }

  PartitionStore owner(String epk, long sequence) {
    PartitionMap map = info.partitions();
    PartitionMap.Entry entry = map.entries().get(map.indexOf(epk));
    return new UnkindPartition(this, entry.id(), entry.range(), sequence);
  }

  @Override
  public PartitionStore ownerOf(WriteKey key) {
    return owner(((PrimaryKey) key).epk(), UnkindWorld.NEWEST);
  }

  @Override
  public WriteKey keyOf(RawDocument document) {
    return keys.ofNew(document);
  }

  @Override
  public @Nullable RawValue partitionKeyOf(RawDocument document) {
    return keys.partitionKeyOf(document);
  }

  @Override
  public byte[] primaryKey(@Nullable RawValue partitionKey, RawValue id) {
    return keys.bytes(partitionKey, id);
  }

  @Override
  public PartitionStatistics statisticsOf(@Nullable RawValue partitionKey) {
    synchronized (world) {
      if (info.partitionKey() == null) {
        return partitionOf(partitionKey).statistics();
      }
      Size size =
          sizes
              .getOrDefault(keys.epk(partitionKey), Map.of())
              .get(ByteBuffer.wrap(keys.logicalKey(partitionKey)));
      return size == null
          ? PartitionStatistics.NONE
          : new PartitionStatistics(size.documents, size.bytes, 1);
    }
  }

  @Override
  public boolean exists() {
    return !isDropped;
  }

  void requireExists() {
    if (isDropped) {
      throw new StorageException(
          StorageException.Reason.COLLECTION_DROPPED, "ns does not exist: " + info.namespace());
    }
  }

  /** The record that has the key after that commit, or null. */
  @Nullable UnkindRecord find(byte[] primaryKey, long sequence) {
    for (UnkindRecord record : byKey.getOrDefault(ByteBuffer.wrap(primaryKey), List.of())) {
      if (record.at(sequence) != null) {
        return record;
      }
    }
    return null;
  }

  Size size(PrimaryKey key) {
    byte[] logicalKey = key.logicalKey() == null ? new byte[0] : key.logicalKey();
    return sizes
        .computeIfAbsent(key.epk(), absent -> new HashMap<>())
        .computeIfAbsent(ByteBuffer.wrap(logicalKey), absent -> new Size());
  }

  void count(PrimaryKey key, long bytes, int documents) {
    Size size = size(key);
    int keys = (size.documents + documents > 0 ? 1 : 0) - (size.documents > 0 ? 1 : 0);
    total = total.plus(new PartitionStatistics(documents, bytes, keys));
    size.bytes += bytes;
    size.documents += documents;
    if (size.documents == 0) {
      Map<ByteBuffer, Size> same = sizes.get(key.epk());
      same.values().removeIf(one -> one.documents == 0);
      if (same.isEmpty()) {
        sizes.remove(key.epk());
      }
    }
  }

  void add(UnkindRecord record) {
    byId.put(record.id, record);
    inOrder.put(record.order, record);
    byKey
        .computeIfAbsent(ByteBuffer.wrap(record.key.bytes()), absent -> new ArrayList<>())
        .add(record);
  }

  /** Forgets versions that nobody sees any more. */
  void tidy(UnkindRecord record) {
    if (record.versions.isEmpty() || record.last().document() == null) {
      byId.remove(record.id);
      inOrder.remove(record.order);
      ByteBuffer key = ByteBuffer.wrap(record.key.bytes());
      List<UnkindRecord> sharing = byKey.get(key);
      if (sharing != null) {
        sharing.remove(record);
        byKey.remove(key, List.of());
      }
    }
    for (UnkindIndex index : indexes.values()) {
      var stale = new ArrayList<UnkindIndex.Entry>();
      for (UnkindRecord.Version version : record.versions) {
        var own = version.keys().get(index.entry.id());
        if (own != null) {
          own.keys().forEach(key -> stale.add(new UnkindIndex.Entry(key, record.order)));
        }
      }
      stale.forEach(index.entries::remove);
      if (!record.versions.isEmpty() && record.last().document() != null) {
        var own = record.last().keys().get(index.entry.id());
        own.keys()
            .forEach(key -> index.entries.put(new UnkindIndex.Entry(key, record.order), record));
      }
    }
    if (!record.versions.isEmpty()) {
      record.versions.subList(0, record.versions.size() - 1).clear();
    }
  }
}
