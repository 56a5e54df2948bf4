package dev.orrery.storage.postgres;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.WriteKey;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.storage.structure.PrimaryKeys;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A collection, whose documents are rows of the tables that all collections share. */
final class PostgresCollection implements CollectionStore {
  private static final String SIZE = "SELECT docs, bytes FROM pkstat WHERE part = ? AND pkey = ?";

  final PostgresEngine engine;
  final PrimaryKeys keys;
  private final int id;
  private final @Nullable IndexSpec keyIndex;
  private volatile CollectionState last;

  PostgresCollection(PostgresEngine engine, CollectionState state, PrimaryKeys keys) {
    this.engine = engine;
    this.id = state.info().id();
    this.last = state;
    this.keys = keys;
    IndexEntry own = state.info().keyIndex();
    this.keyIndex = own == null ? null : own.spec();
  }

  void isNow(CollectionState state) {
    last = state;
  }

  int id() {
    return id;
  }

  /** What is known of it now; null when it was dropped. */
  @Nullable CollectionState state() {
    return engine.catalog().newest().states().get(id);
  }

  @Override
  public CollectionInfo info() {
    CollectionState state = state();
    return state == null ? last.info() : state.info();
  }

  @Override
  public boolean exists() {
    return state() != null;
  }

  @Override
  public @Nullable IndexSpec keyIndex() {
    return keyIndex;
  }

  StorageException dropped() {
    return new StorageException(
        StorageException.Reason.COLLECTION_DROPPED, "ns does not exist: " + info().namespace());
  }

  void requireExists() {
    if (!exists()) {
      throw dropped();
    }
  }

  @Override
  public List<PartitionStore> partitions() {
    return partitions(engine.newestReader(), info());
  }

  List<PartitionStore> partitions(Reader reader, CollectionInfo info) {
    var partitions = new ArrayList<PartitionStore>();
    if (!info.isView()) {
      for (PartitionMap.Entry entry : info.partitions().entries()) {
        partitions.add(new PostgresPartition(this, reader, entry.id(), entry.range()));
      }
    }
    return partitions;
  }

  @Override
  public PartitionStore partitionOf(@Nullable RawValue partitionKey) {
    return owner(engine.newestReader(), info(), keys.epk(partitionKey));
  }

  PartitionStore owner(Reader reader, CollectionInfo info, String epk) {
    PartitionMap map = info.partitions();
    PartitionMap.Entry entry = map.entries().get(map.indexOf(epk));
    return new PostgresPartition(this, reader, entry.id(), entry.range());
  }

  @Override
  public PartitionStore ownerOf(WriteKey key) {
    return owner(engine.newestReader(), info(), key.epk());
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
  public byte[] primaryKey(@Nullable RawValue partitionKey, RawValue documentId) {
    return keys.bytes(partitionKey, documentId);
  }

  @Override
  public PartitionStatistics statisticsOf(@Nullable RawValue partitionKey) {
    if (!keys.isPartitioned()) {
      return partitionOf(partitionKey).statistics();
    }
    byte[] logicalKey = keys.logicalKey(partitionKey);
    String epk = keys.epk(partitionKey);
    return engine
        .newestReader()
        .wait(
            session -> {
              CollectionState state = state();
              PartitionStatistics found =
                  state == null
                      ? null
                      : session.first(
                          SIZE,
                          row -> new PartitionStatistics(row.getLong(1), row.getLong(2), 1),
                          state.part(state.owner(epk)),
                          logicalKey);
              return found == null ? PartitionStatistics.NONE : found;
            });
  }

  @Override
  public String toString() {
    return info().namespace().toString();
  }
}
