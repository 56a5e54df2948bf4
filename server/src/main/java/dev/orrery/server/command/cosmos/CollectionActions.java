package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.Names;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.schema.CosmosIndexRules;
import dev.orrery.server.command.schema.IndexDefinition;
import dev.orrery.server.command.schema.IndexKeyPattern;
import dev.orrery.server.command.schema.IndexRules;
import dev.orrery.server.operation.Operation;
import dev.orrery.server.throughput.CosmosRules;
import dev.orrery.server.throughput.Provisioning;
import dev.orrery.server.throughput.Throughput;
import dev.orrery.server.throughput.ThroughputRules;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/** The custom actions on a collection: its partition key, throughput and indexes. */
final class CollectionActions {

  private final CosmosServices services;
  private final Databases databases;
  private final PartitionedCollections collections;

  CollectionActions(CosmosServices services, PartitionedCollections collections) {
    this.services = services;
    this.databases = services.databases();
    this.collections = collections;
  }

  BsonDocument create(CommandContext context, CommandReader body) {
    String name = body.requireString("collection");
    String shardKey = body.string("shardKey");
    Throughput asked = Offer.parse(body);
    List<IndexSpec> indexes = indexes(body);
    body.finish();
    Names.requireCreatable(context.database(), name);
    if (shardKey != null) {
      ShardCollectionCommand.requirePath(shardKey);
    }
    rules().account().requireOffers(asked);
    Throughput offer = orDefault(asked, context.database(), shardKey);
    if (offer.isProvisioned() && !rules().account().isServerless()) {
      ThroughputRules.require(
          offer, Throughput.NONE, ThroughputRules.Subject.empty(shardKey == null), rules());
    }
    var namespace = new Namespace(context.database(), name);
    if (indexes != null) {
      new CosmosIndexRules(databases.provisioning().rules())
          .require(new CosmosIndexRules.Subject(namespace, shardKey, 0, false), indexes);
      indexes = databases.expiry().dated(indexes);
    }
    var plan = PartitionedCollections.Plan.of(shardKey, offer);
    CollectionStore created =
        collections.create(namespace, indexes == null ? plan : plan.withIndexes(indexes));
    if (created == null) {
      throw new CommandException(
          ErrorCode.NAMESPACE_EXISTS, "Collection already exists. NS: " + namespace);
    }
    context.awaitDurable(databases.engine().receipt());
    return new BsonDocument();
  }

  /** Without an offer of its own a collection joins its database's, or gets the least. */
  private Throughput orDefault(Throughput asked, String database, @Nullable String shardKey) {
    if (asked.isProvisioned() || databases.throughputs().of(database).isProvisioned()) {
      return asked;
    }
    if (rules().account().isServerless()) {
      return databases.provisioning().ofNewCollection(Throughput.NONE);
    }
    long least = shardKey == null ? 0 : rules().leastWithKey();
    return Throughput.manual(Math.max(Provisioning.DEFAULT_UNITS, least));
  }

  private CosmosRules rules() {
    return databases.provisioning().rules();
  }

  BsonDocument update(CommandContext context, CommandReader body) {
    String name = body.requireString("collection");
    Throughput asked = Offer.parse(body);
    List<IndexSpec> indexes = indexes(body);
    body.finish();
    CollectionStore collection = Partitions.require(databases, context.database(), name);
    if (indexes == null) {
      Offer.requireGiven(asked);
    }
    if (asked.isProvisioned()) {
      rules().account().requireOffers(asked);
      rules().account().admitOfferChange();
      changeThroughput(collection, asked, context.operation());
    }
    if (indexes != null) {
      replaceIndexes(collection, indexes);
    }
    context.awaitDurable(databases.engine().receipt());
    return new BsonDocument();
  }

  private void changeThroughput(CollectionStore collection, Throughput asked, Operation operation) {
    CollectionInfo info = collection.info();
    boolean isShared = databases.throughputs().of(info.namespace().database()).isProvisioned();
    if (isShared && info.throughput().isEmpty()) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "Collection %s shares the throughput of its database, and cannot be given its own later"
              .formatted(info.namespace()));
    }
    var subject =
        new ThroughputRules.Subject(
            info.partitionKey() == null, DatabaseActions.bytes(List.of(collection)), 0);
    ThroughputRules.require(asked, Throughput.fromBson(info.throughput()), subject, rules());
    databases.requireRoom(Throughput.fromBson(info.throughput()), asked);
    collections.growTo(collection, asked, operation);
    databases
        .engine()
        .update(
            collection,
            now ->
                now.withThroughput(
                    Throughput.fromBson(now.throughput()).replacedBy(asked).toBson()));
  }

  private void replaceIndexes(CollectionStore collection, List<IndexSpec> wanted) {
    StorageEngine engine = databases.engine();
    List<IndexSpec> present = collection.info().readyIndexes();
    List<IndexSpec> staying = present.stream().filter(index -> isSameIn(wanted, index)).toList();
    List<IndexSpec> missing =
        wanted.stream().filter(one -> !one.isIdIndex() && !isSameIn(present, one)).toList();
    new CosmosIndexRules(databases.provisioning().rules())
        .require(CosmosIndexRules.Subject.of(collection, staying), missing);
    for (IndexSpec index : present) {
      boolean isKept = index.isIdIndex() || isSameIn(wanted, index);
      if (!isKept) {
        engine.dropIndex(collection, index.name());
      }
    }
    if (!missing.isEmpty()) {
      engine.createIndexes(collection, databases.expiry().dated(missing));
    }
  }

  private static boolean isSameIn(List<IndexSpec> list, IndexSpec index) {
    return list.stream()
        .anyMatch(
            one ->
                one.name().equals(index.name())
                    && one.keyPattern().equals(index.keyPattern())
                    && one.isUnique() == index.isUnique()
                    && one.expireAfterSeconds().equals(index.expireAfterSeconds()));
  }

  /** The whole set of indexes, of which that on {@code _id} must be one; null when not given. */
  private @Nullable List<IndexSpec> indexes(CommandReader body) {
    if (!body.has("indexes")) {
      body.documents("indexes");
      return null;
    }
    var specs = new ArrayList<IndexSpec>();
    for (RawDocument given : body.documents("indexes")) {
      BsonDocument spec = IndexDefinition.parse(given, false);
      IndexRules.requireExpiry(spec, rules().isCosmos());
      BsonDocument complete = IndexRules.require(spec, new BsonDocument());
      IndexKeyPattern.requireSupported(complete.getDocument("key"));
      specs.add(IndexSpec.of(IndexDefinition.fix(complete)));
    }
    if (specs.stream().noneMatch(IndexSpec::isIdIndex)) {
      throw new CommandException(ErrorCode.BAD_VALUE, "'indexes' must contain an index on _id");
    }
    return specs;
  }

  BsonDocument describe(CommandContext context, CommandReader body) {
    String name = body.requireString("collection");
    boolean showsIndexes = body.bool("showIndexes", false);
    body.finish();
    CollectionStore collection = Partitions.require(databases, context.database(), name);
    CollectionInfo info = collection.info();
    var reply =
        new BsonDocument("database", new BsonString(info.namespace().database()))
            .append("collection", new BsonString(info.namespace().collection()));
    if (info.partitionKey() != null) {
      reply.append(
          "shardKeyDefinition", new BsonDocument(info.partitionKey(), new BsonString("hashed")));
    }
    Throughput offer = Throughput.fromBson(info.throughput());
    if (!rules().account().isServerless()) { // what it has is no offer, only its limit
      Offer.append(reply, offer, services.metering().provisionedNow(collection, offer));
    }
    reply.append("maxContentLength", new BsonInt32(databases.documentBytesMax()));
    if (showsIndexes) {
      reply.append("indexes", describe(info));
    }
    return reply;
  }

  private static BsonArray describe(CollectionInfo info) {
    var list = new BsonArray();
    for (CollectionInfo.IndexEntry entry : info.indexes()) {
      var document =
          new BsonDocument("v", new BsonInt32(1))
              .append("key", entry.spec().keyPattern())
              .append("name", new BsonString(entry.spec().name()))
              .append("ns", new BsonString(info.namespace().toString()));
      if (!entry.ready()) {
        document.append("requiresReIndex", BsonBoolean.TRUE);
      }
      if (entry.spec().isUnique() && !entry.spec().isIdIndex()) {
        document.append("unique", BsonBoolean.TRUE);
      }
      list.add(document);
    }
    return list;
  }
}
