package dev.orrery.storage.catalog;

import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.value.Namespace;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.UuidRepresentation;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is known about a collection or a view except its documents. Immutable, and kept
 * in the log as a BSON document.
 *
 * @param id the number by which log records name the collection; never reused
 * @param options what {@code create} was given and {@code listCollections} prints
 * @param partitionKey the dotted path of the partition key, or null: one implicit key for all
 * @param partitions null for a view
 * @param throughput what was provisioned; empty when nothing was
 * @param nextIndexId the number that the next index gets
 */
public record CollectionInfo(
    int id,
    UUID uuid,
    Namespace namespace,
    BsonDocument options,
    String partitionKey,
    List<IndexEntry> indexes,
    PartitionMap partitions,
    BsonDocument throughput,
    int nextIndexId) {

  /** The option of collections that end with the server. */
  public static final String TEMPORARY = "temp";

  /** The option of collections whose documents are kept as they were before changes. */
  public static final String IMAGES = "changeStreamPreAndPostImages";

  /** The number of the index on the partition key; those that users make never come so far. */
  public static final int KEY_INDEX_ID = Integer.MAX_VALUE;

  /** What the creator of a collection decides. */
  public record Creation(
      BsonDocument options,
      String partitionKey,
      List<IndexSpec> indexes,
      int partitions,
      BsonDocument throughput) {
    /** A view has no partitions. */
    public boolean isView() {
      return partitions == 0;
    }

    /** The collection as it is in the beginning. */
    public CollectionInfo describe(int id, UUID uuid, Namespace namespace) {
      var entries = new ArrayList<IndexEntry>();
      for (IndexSpec spec : indexes) {
        entries.add(new IndexEntry(entries.size(), spec, true));
      }
      return new CollectionInfo(
          id,
          uuid,
          namespace,
          options,
          partitionKey,
          entries,
          isView() ? null : PartitionMap.even(partitions),
          throughput,
          entries.size());
    }
  }

  /**
   * An index of this collection: its number on disk, its description, and whether it is complete.
   */
  public record IndexEntry(int id, IndexSpec spec, boolean ready) {}

  public CollectionInfo {
    indexes = List.copyOf(indexes);
  }

  public boolean isView() {
    return partitions == null;
  }

  /** How much it holds; null if it is not capped. */
  public @Nullable CappedLimits cappedLimits() {
    return CappedLimits.of(options);
  }

  public boolean isTimeSeries() {
    return options.containsKey("timeseries");
  }

  /** Whether followers of changes can see what documents were before. */
  public boolean keepsImages() {
    BsonDocument images = options.getDocument(IMAGES, null);
    return images != null && images.getBoolean("enabled", BsonBoolean.FALSE).getValue();
  }

  /** How many indexes, besides that on {@code _id}, each new version is checked against. */
  public int uniqueIndexes() {
    int count = 0;
    for (IndexEntry entry : indexes) {
      count += entry.spec().isUnique() && !entry.spec().isIdIndex() ? 1 : 0;
    }
    return count;
  }

  /** The descriptions of the indexes that are complete, in the order of their creation. */
  public List<IndexSpec> readyIndexes() {
    return indexes.stream().filter(IndexEntry::ready).map(IndexEntry::spec).toList();
  }

  /**
   * The index on the partition key, which follows from it and is not in the catalog; null where
   * there is no key, where the index on {@code _id} serves, and where not even that one is: such
   * collections are the server's own, and read by primary key.
   */
  public @Nullable IndexEntry keyIndex() {
    boolean hasOwn =
        partitionKey != null && !isView() && !partitionKey.equals("_id") && isIndexedById();
    return hasOwn ? new IndexEntry(KEY_INDEX_ID, IndexSpec.keyIndex(partitionKey), true) : null;
  }

  /** Never changes: nobody can drop that index, nor make it later. */
  private boolean isIndexedById() {
    return options.containsKey("clusteredIndex")
        || indexes.stream().anyMatch(entry -> entry.spec().isIdIndex());
  }

  /** All indexes that have entries: those of users, then the one on the partition key. */
  public List<IndexEntry> keptIndexes() {
    IndexEntry own = keyIndex();
    if (own == null) {
      return indexes;
    }
    var all = new ArrayList<>(indexes);
    all.add(own);
    return all;
  }

  /** The entry of that name, or null. */
  public IndexEntry index(String name) {
    for (IndexEntry entry : indexes) {
      if (entry.spec().name().equals(name)) {
        return entry;
      }
    }
    return null;
  }

  /** Whether it ends with the server, as MongoDB has it: what a crash leaves goes at the start. */
  public boolean isTemporary() {
    return options.getBoolean(TEMPORARY, BsonBoolean.FALSE).getValue();
  }

  /** The same under a name that it is to keep: it is temporary no longer, if it was. */
  public CollectionInfo withNamespace(Namespace to) {
    BsonDocument kept = options;
    if (isTemporary()) {
      kept = options.clone();
      kept.remove(TEMPORARY);
    }
    return new CollectionInfo(
        id, uuid, to, kept, partitionKey, indexes, partitions, throughput, nextIndexId);
  }

  public CollectionInfo withOptions(BsonDocument to) {
    return new CollectionInfo(
        id, uuid, namespace, to, partitionKey, indexes, partitions, throughput, nextIndexId);
  }

  public CollectionInfo withThroughput(BsonDocument to) {
    return new CollectionInfo(
        id, uuid, namespace, options, partitionKey, indexes, partitions, to, nextIndexId);
  }

  public CollectionInfo withPartitions(PartitionMap to) {
    return new CollectionInfo(
        id, uuid, namespace, options, partitionKey, indexes, to, throughput, nextIndexId);
  }

  /** The same with other indexes; index numbers go on from the highest. */
  public CollectionInfo withIndexes(List<IndexEntry> to) {
    int next = nextIndexId;
    for (IndexEntry entry : to) {
      next = Math.max(next, entry.id() + 1);
    }
    return new CollectionInfo(
        id, uuid, namespace, options, partitionKey, to, partitions, throughput, next);
  }

  public CollectionInfo withNextIndexId(int to) {
    return new CollectionInfo(
        id, uuid, namespace, options, partitionKey, indexes, partitions, throughput, to);
  }

  public BsonDocument toBson() {
    var list = new BsonArray();
    for (IndexEntry entry : indexes) {
      list.add(
          new BsonDocument("id", new BsonInt32(entry.id()))
              .append("ready", BsonBoolean.valueOf(entry.ready()))
              .append("spec", entry.spec().document()));
    }
    var document =
        new BsonDocument("id", new BsonInt32(id))
            .append("uuid", new BsonBinary(uuid, UuidRepresentation.STANDARD))
            .append("database", new BsonString(namespace.database()))
            .append("collection", new BsonString(namespace.collection()))
            .append("options", options)
            .append("indexes", list)
            .append("throughput", throughput)
            .append("nextIndexId", new BsonInt32(nextIndexId));
    if (partitionKey != null) {
      document.append("partitionKey", new BsonString(partitionKey));
    }
    if (partitions != null) {
      document.append("partitions", partitions.toBson());
    }
    return document;
  }

  public static CollectionInfo fromBson(BsonDocument document) {
    var indexes = new ArrayList<IndexEntry>();
    for (var value : document.getArray("indexes")) {
      var entry = value.asDocument();
      indexes.add(
          new IndexEntry(
              entry.getInt32("id").getValue(),
              IndexSpec.of(entry.getDocument("spec")),
              entry.getBoolean("ready").getValue()));
    }
    var uuid = ByteBuffer.wrap(document.getBinary("uuid").getData());
    var partitionKey = document.getString("partitionKey", null);
    var partitions = document.getDocument("partitions", null);
    return new CollectionInfo(
        document.getInt32("id").getValue(),
        new UUID(uuid.getLong(), uuid.getLong()),
        new Namespace(
            document.getString("database").getValue(), document.getString("collection").getValue()),
        document.getDocument("options"),
        partitionKey == null ? null : partitionKey.getValue(),
        indexes,
        partitions == null ? null : PartitionMap.fromBson(partitions),
        document.getDocument("throughput"),
        document.getInt32("nextIndexId").getValue());
  }
}
