package dev.orrery.server.command.collection;

import dev.orrery.language.number.Numbers;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.server.command.Sizes;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.partition.EpkRange;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.value.RawDocument;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonMaxKey;
import org.bson.BsonMinKey;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.bson.UuidRepresentation;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

/**
 * The collections of the database {@code config} that a sharded MongoDB has and that tools read
 * ({@code sh.status()} in mongosh): made up from the catalog, with one chunk for each physical
 * partition, all on the one shard that this server is.
 */
public final class ConfigDatabase {
  public static final String NAME = "config";
  private static final String SHARD = "orrery";
  private static final ObjectId CLUSTER = new ObjectId("6f7272657279000000000001");

  private final Databases databases;
  private final Clock clock;

  public ConfigDatabase(Databases databases, Clock clock) {
    this.databases = databases;
    this.clock = clock;
  }

  /** The documents of such a collection, or null when there is none of that name. */
  public @Nullable List<RawDocument> find(String collection) {
    List<BsonDocument> documents =
        switch (collection) {
          case "chunks" -> chunks();
          case "collections" -> collections();
          case "databases" -> databases();
          case "mongos" -> List.of(router());
          case "shards" -> List.of(shard());
          case "version" ->
              List.of(
                  new BsonDocument("_id", new BsonInt32(1))
                      .append("clusterId", new BsonObjectId(CLUSTER)));
          default -> null;
        };
    return documents == null ? null : documents.stream().map(RawDocument::of).toList();
  }

  private List<CollectionInfo> partitioned() {
    return databases.engine().collections().stream()
        .map(CollectionStore::info)
        .filter(ConfigDatabase::isPartitioned)
        .toList();
  }

  private static boolean isPartitioned(CollectionInfo info) {
    return !info.isView()
        && info.partitionKey() != null
        && !info.namespace().equals(Databases.RETRY_RECORDS);
  }

  private List<BsonDocument> databases() {
    var documents = new ArrayList<BsonDocument>();
    for (String name : databases.names()) {
      documents.add(
          new BsonDocument("_id", new BsonString(name))
              .append("primary", new BsonString(SHARD))
              .append("partitioned", BsonBoolean.TRUE));
    }
    return documents;
  }

  private List<BsonDocument> collections() {
    var documents = new ArrayList<BsonDocument>();
    for (CollectionInfo info : partitioned()) {
      documents.add(
          new BsonDocument("_id", new BsonString(info.namespace().toString()))
              .append("lastmodEpoch", new BsonObjectId(CLUSTER))
              .append("timestamp", new BsonTimestamp(info.id(), 1))
              .append("uuid", uuid(info))
              .append("key", new BsonDocument(info.partitionKey(), new BsonString("hashed")))
              .append("unique", BsonBoolean.FALSE)
              .append("noBalance", BsonBoolean.FALSE));
    }
    return documents;
  }

  private List<BsonDocument> chunks() {
    var documents = new ArrayList<BsonDocument>();
    for (CollectionInfo info : partitioned()) {
      for (PartitionMap.Entry entry : info.partitions().entries()) {
        documents.add(chunk(info, entry));
      }
    }
    return documents;
  }

  private static BsonDocument chunk(CollectionInfo info, PartitionMap.Entry entry) {
    EpkRange range = entry.range();
    return new BsonDocument("_id", new BsonObjectId(id(info.id(), entry.id())))
        .append("uuid", uuid(info))
        .append("min", new BsonDocument(info.partitionKey(), bound(range.minInclusive())))
        .append("max", new BsonDocument(info.partitionKey(), bound(range.maxExclusive())))
        .append("shard", new BsonString(SHARD))
        .append("lastmod", new BsonTimestamp(1, entry.id()))
        .append("partition", new BsonInt32(entry.id()));
  }

  private static ObjectId id(int collection, int partition) {
    return new ObjectId("6f727265%08x%08x".formatted(collection, partition));
  }

  private static BsonBinary uuid(CollectionInfo info) {
    return new BsonBinary(info.uuid(), UuidRepresentation.STANDARD);
  }

  private static BsonValue bound(String epk) {
    return switch (epk) {
      case EpkRange.BEGIN -> new BsonMinKey();
      case EpkRange.END -> new BsonMaxKey();
      default -> new BsonString(epk);
    };
  }

  /** What each shard holds of each partitioned collection: all of it, by the one there is. */
  public List<BsonDocument> distribution() {
    var documents = new ArrayList<BsonDocument>();
    for (CollectionStore collection : databases.engine().collections()) {
      if (isPartitioned(collection.info())) {
        documents.add(distribution(collection));
      }
    }
    return documents;
  }

  private static BsonDocument distribution(CollectionStore collection) {
    Sizes sizes = Sizes.of(collection);
    var shard =
        new BsonDocument("shardName", new BsonString(SHARD))
            .append("numOrphanedDocs", new BsonInt32(0))
            .append("numOwnedDocuments", Numbers.intOrLong(sizes.documents()))
            .append("ownedSizeBytes", Numbers.intOrLong(sizes.bytes()))
            .append("orphanedSizeBytes", new BsonInt32(0));
    return new BsonDocument("ns", new BsonString(collection.info().namespace().toString()))
        .append("shards", new BsonArray(List.of(shard)));
  }

  /** The one shard, as {@code listShards} shows it. */
  public static BsonDocument shard() {
    return new BsonDocument("_id", new BsonString(SHARD))
        .append("host", new BsonString(ServerFacts.SET_NAME + "/localhost"))
        .append("state", new BsonInt32(1))
        .append("topologyTime", new BsonTimestamp(1, 1));
  }

  private BsonDocument router() {
    return new BsonDocument("_id", new BsonString("localhost"))
        .append("ping", new BsonDateTime(clock.millis()))
        .append("waiting", BsonBoolean.TRUE)
        .append("mongoVersion", new BsonString(ServerFacts.MONGODB_VERSION));
  }
}
