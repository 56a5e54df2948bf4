package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.Names;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.synthetic.SyntheticKey;
import dev.orrery.server.throughput.Throughput;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.value.Namespace;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * {@code shardCollection}: gives a collection its partition key, for as long as it lives. It is
 * created if there is none, and created anew if it is empty.
 */
final class ShardCollectionCommand implements Command {
  private static final int CHUNKS_MAX = 8192;

  private final Databases databases;
  private final PartitionedCollections collections;

  ShardCollectionCommand(Databases databases, PartitionedCollections collections) {
    this.databases = databases;
    this.collections = collections;
  }

  @Override
  public Spec spec() {
    return Spec.of("shardCollection", Access.ADMIN, Trait.LONG, Trait.WRITE_CONCERN)
        .alias("shardcollection");
  }

  /** What is to be partitioned, by which path, and into how many parts at least. */
  private record Params(
      Namespace namespace, String path, int partitions, @Nullable BsonDocument synthetic) {
    static Params parse(CommandContext context, CommandReader body) {
      Namespace namespace = namespace(context.database(), body.requireString("shardCollection"));
      body.requireRawDocument("key");
      String path = path(body.document("key"));
      if (body.safeBool("unique", false)) {
        throw new CommandException(
            ErrorCode.INVALID_OPTIONS,
            "Hashed shard keys cannot be declared unique. It's possible to ensure uniqueness on"
                + " the hashed field by declaring an additional (non-hashed) unique index on the"
                + " field.");
      }
      long chunks = body.atLeast("numInitialChunks", 0, 0);
      if (chunks > CHUNKS_MAX) {
        throw new CommandException(
            ErrorCode.INVALID_OPTIONS,
            "numInitialChunks cannot be more than %d".formatted(CHUNKS_MAX));
      }
      BsonDocument synthetic = synthetic(path, body);
      body.ignore("collation", "implicitlyCreateIndex", "enforceUniquenessCheck");
      body.reject("presplitHashedZones", "timeseries");
      body.finish();
      return new Params(namespace, path, (int) Math.max(1, chunks), synthetic);
    }

    /** How the server is to make the key; null if clients bring it. */
    private static @Nullable BsonDocument synthetic(String path, CommandReader body) {
      BsonDocument given = body.document(SyntheticKey.OPTION);
      if (!body.has(SyntheticKey.OPTION)) {
        return null;
      }
      SyntheticKey key = SyntheticKey.parse(given);
      if (!key.name().equals(path)) {
        throw new CommandException(
            ErrorCode.BAD_VALUE,
            "The synthetic field '%s' is not the shard key '%s'".formatted(key.name(), path));
      }
      return key.definition();
    }

    /** Options that are to be, from those that are. */
    BsonDocument options(BsonDocument present) {
      return synthetic == null ? present : present.clone().append(SyntheticKey.OPTION, synthetic);
    }

    private static Namespace namespace(String database, String text) {
      int dot = text.indexOf('.');
      var namespace =
          dot < 0
              ? new Namespace(text, "")
              : new Namespace(text.substring(0, dot), text.substring(dot + 1));
      Names.requireCreatable(namespace.database(), namespace.collection());
      if (!database.equals("admin") && !database.equals(namespace.database())) {
        throw new CommandException(
            ErrorCode.UNAUTHORIZED,
            "shardCollection of %s may only be run against the admin database or %s."
                .formatted(namespace, namespace.database()));
      }
      return namespace;
    }

    private static String path(BsonDocument key) {
      if (key.isEmpty()) {
        throw new CommandException(ErrorCode.BAD_VALUE, "Shard key is empty");
      }
      BsonValue kind = key.get(key.getFirstKey());
      boolean isHashed = kind.isString() && kind.asString().getValue().equals("hashed");
      if (key.size() > 1 || !isHashed) {
        throw new CommandException(
            ErrorCode.BAD_VALUE,
            ("Shard key %s is not supported. A collection is partitioned by the hash of a single"
                    + " field, as in { %s: \"hashed\" }")
                .formatted(BsonText.document(key), key.getFirstKey()));
      }
      requirePath(key.getFirstKey());
      return key.getFirstKey();
    }
  }

  /** Refuses what cannot be the path of a partition key. */
  static void requirePath(String path) {
    for (String part : path.split("\\.", -1)) {
      if (part.isEmpty() || part.startsWith("$")) {
        throw new CommandException(
            ErrorCode.BAD_VALUE, "Shard key path '" + path + "' is not valid");
      }
    }
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    Params params = Params.parse(context, body);
    while (!isDone(params)) {
      // Another client created, filled or dropped the collection meanwhile: look again.
      context.operation().check();
    }
    context.awaitDurable(databases.engine().receipt());
    return new BsonDocument("_t", new BsonString("ShardCollectionResponse"))
        .append("ok", new BsonDouble(1)) // the dispatcher sets it, and leaves it in its place
        .append("collectionsharded", new BsonString(params.namespace.toString()));
  }

  private boolean isDone(Params params) {
    CollectionStore present = databases.engine().find(params.namespace);
    if (present == null) {
      return create(params) != null;
    }
    BsonValue made = present.info().options().get(SyntheticKey.OPTION);
    boolean isSame = params.synthetic == null || params.synthetic.equals(made);
    if (params.path.equals(present.info().partitionKey()) && isSame) {
      return true;
    }
    requireShardable(present);
    return replace(present, params) != null;
  }

  private @Nullable CollectionStore create(Params params) {
    var throughput = Throughput.fromBson(databases.newThroughput(params.namespace.database()));
    long least = databases.provisioning().rules().leastWithKey();
    if (throughput.isProvisioned() && throughput.unitsPerSecond() < least) {
      throughput = Throughput.manual(least);
    }
    var plan =
        PartitionedCollections.Plan.of(params.path, throughput)
            .withOptions(params.options(new BsonDocument()))
            .withPartitions(params.partitions);
    return collections.create(params.namespace, plan);
  }

  private static void requireShardable(CollectionStore collection) {
    CollectionInfo info = collection.info();
    if (info.isView()) {
      throw new CommandException(
          ErrorCode.COMMAND_NOT_SUPPORTED_ON_VIEW,
          "Namespace " + info.namespace() + " is a view, not a collection");
    }
    if (info.partitionKey() != null) {
      throw new CommandException(
          ErrorCode.ALREADY_INITIALIZED,
          "sharding already enabled for collection %s with the shard key { %s: \"hashed\" }"
              .formatted(info.namespace(), info.partitionKey()));
    }
    if (info.options().containsKey("capped")) {
      throw new CommandException(ErrorCode.INVALID_OPTIONS, "can't shard a capped collection");
    }
    for (PartitionStore partition : collection.partitions()) {
      if (partition.statistics().documents() > 0) {
        throw new CommandException(
            ErrorCode.ILLEGAL_OPERATION,
            "cannot shard %s, which contains documents: the shard key is chosen while a collection"
                    .formatted(info.namespace())
                + " is empty");
      }
    }
  }

  /** The same collection, empty as it is, with a key and the partitions of its throughput. */
  private @Nullable CollectionStore replace(CollectionStore empty, Params params) {
    CollectionInfo info = empty.info();
    var plan =
        PartitionedCollections.Plan.of(params.path, Throughput.fromBson(info.throughput()))
            .withOptions(params.options(info.options()))
            .withIndexes(info.readyIndexes())
            .withPartitions(params.partitions);
    return databases.engine().replaceEmpty(empty, collections.creation(params.namespace, plan));
  }
}
