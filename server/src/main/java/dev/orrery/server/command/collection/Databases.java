package dev.orrery.server.command.collection;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.query.Filter;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.Sizes;
import dev.orrery.server.expiry.Expiry;
import dev.orrery.server.operation.ProfileSettings;
import dev.orrery.server.plan.bounds.IndexFilters;
import dev.orrery.server.stream.ImageExpiry;
import dev.orrery.server.synthetic.SyntheticKey;
import dev.orrery.server.throughput.AccountLimits;
import dev.orrery.server.throughput.CosmosRule;
import dev.orrery.server.throughput.DatabaseThroughputs;
import dev.orrery.server.throughput.Provisioning;
import dev.orrery.server.throughput.Throughput;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** Collections as commands see them: found by name, and created by the first write. */
public final class Databases {
  /** What the retryable writes of sessions did; the server's own. */
  public static final Namespace RETRY_RECORDS = new Namespace("config", "transactions");

  /** Without the capability for 16 MB. */
  private static final int COSMOS_DOCUMENT_BYTES_MAX = 2 << 20;

  private static final int SHARED_COLLECTIONS_MAX = 25;
  private static final int ID_BYTES_MAX = 1023;
  private static final int KEY_BYTES_MAX = 2048;
  private static final int LEVELS_MAX = 128;

  private final StorageEngine engine;
  private final Provisioning provisioning;
  private final DatabaseThroughputs throughputs;
  private final ProfileSettings profiles;
  private final Validators validators = new Validators();
  private final IndexFilters indexFilters = new IndexFilters();
  private Expiry expiry = Expiry.NEVER;
  private final ImageExpiry images;

  /** Without limits of throughput. */
  public Databases(StorageEngine engine) {
    this(engine, Provisioning.EXTENDED, new DatabaseThroughputs(engine));
  }

  /** With MongoDB's default of what is slow. */
  public Databases(
      StorageEngine engine, Provisioning provisioning, DatabaseThroughputs throughputs) {
    this(
        engine,
        provisioning,
        throughputs,
        new ProfileSettings(ProfileSettings.SLOW_MILLIS_DEFAULT));
  }

  public Databases(
      StorageEngine engine,
      Provisioning provisioning,
      DatabaseThroughputs throughputs,
      ProfileSettings profiles) {
    this.engine = engine;
    this.provisioning = provisioning;
    this.throughputs = throughputs;
    this.profiles = profiles;
    this.images = new ImageExpiry(engine);
  }

  /** How long change streams show what documents were before. */
  public ImageExpiry images() {
    return images;
  }

  /** Says which documents are over; to be called before the first request. */
  public Databases expiringBy(Expiry newExpiry) {
    expiry = newExpiry;
    return this;
  }

  /** Which indexes some queries may not use. */
  public IndexFilters indexFilters() {
    return indexFilters;
  }

  public Expiry expiry() {
    return expiry;
  }

  public Provisioning provisioning() {
    return provisioning;
  }

  public Validators validators() {
    return validators;
  }

  public DatabaseThroughputs throughputs() {
    return throughputs;
  }

  /** What is profiled in each of them. */
  public ProfileSettings profiles() {
    return profiles;
  }

  /** The throughput of a collection that is created without saying so, as the catalog keeps it. */
  public BsonDocument newThroughput(String database) {
    return provisioning.ofNewCollection(throughputs.of(database)).toBson();
  }

  /** Refuses a change of a single document that names no single partition key, as Cosmos does. */
  public void requireTarget(CollectionStore collection, Filter filter) {
    String path = collection.info().partitionKey();
    if (path == null || !provisioning.rules().concerns(CosmosRule.TARGETED_WRITES)) {
      return;
    }
    List<RawValue> values = SyntheticKey.fixedValues(collection.info(), filter);
    if (values == null || values.size() != 1) {
      refuse(
          CosmosRule.TARGETED_WRITES,
          collection,
          new CommandException(
              ErrorCode.SHARD_KEY_NOT_FOUND, "query in command must target a single shard key"));
    }
  }

  private void refuse(CosmosRule rule, CollectionStore collection, CommandException refusal) {
    provisioning.rules().refuse(rule, collection.info().namespace().toString(), refusal);
  }

  /** The size that a stored document may have. */
  public int documentBytesMax() {
    return provisioning.isInForce(CosmosRule.DOCUMENT_SIZE)
        ? COSMOS_DOCUMENT_BYTES_MAX
        : NewDocument.BYTES_MAX;
  }

  /** Refuses a document that is larger than Cosmos DB takes. */
  public void requireSize(RawDocument document) {
    if (document.length() > documentBytesMax()) {
      throw new CommandException(
          ErrorCode.INVALID_LENGTH,
          "Error=16, Details='Response status code does not indicate success:"
              + " RequestEntityTooLarge (413); Substatus: 0; Reason: (Message: {\"Errors\":[\"Request"
              + " size is too large\"]})");
    }
    if (provisioning.isInForce(CosmosRule.NESTING) && isDeeper(document, LEVELS_MAX)) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "A document can have at most " + LEVELS_MAX + " nested levels");
    }
  }

  private static boolean isDeeper(RawDocument document, int levels) {
    if (levels == 0) {
      return true;
    }
    RawElements fields = document.elements();
    while (fields.next()) {
      boolean isNested = fields.type() == RawTypes.DOCUMENT || fields.type() == RawTypes.ARRAY;
      if (isNested && isDeeper(fields.value().asDocument(), levels - 1)) {
        return true;
      }
    }
    return false;
  }

  private void requireShortKeys(WriteOperation.Insert insert) {
    if (!provisioning.isInForce(CosmosRule.KEY_SIZES)) {
      return;
    }
    requireShort("_id", insert.document().field("_id"), ID_BYTES_MAX);
    String path = insert.collection().info().partitionKey();
    if (path != null) {
      requireShort(path, insert.key().partitionKey(), KEY_BYTES_MAX);
    }
  }

  private static void requireShort(String path, @Nullable RawValue value, int bytesMax) {
    if (value != null && value.type() == RawTypes.STRING) {
      int bytes = value.asString().getBytes(StandardCharsets.UTF_8).length;
      if (bytes > bytesMax) {
        throw new CommandException(
            ErrorCode.BAD_VALUE,
            "The value of '%s' has %d bytes; %d is the most".formatted(path, bytes, bytesMax));
      }
    }
  }

  /** A failure in the words of the profile: Cosmos DB names neither the index nor the value. */
  public CommandException worded(CommandException failure, Namespace namespace) {
    boolean isChanged =
        failure.code() == ErrorCode.DUPLICATE_KEY
            && provisioning.isInForce(CosmosRule.DUPLICATE_KEY);
    return isChanged
        ? new CommandException(
            ErrorCode.DUPLICATE_KEY,
            "E11000 duplicate key error collection: %s. Failed _id or unique index constraint."
                .formatted(namespace))
        : failure;
  }

  /** A new document with the partition key that the server makes, if it does. */
  public static RawDocument withKey(CollectionStore collection, RawDocument document) {
    SyntheticKey key = SyntheticKey.of(collection.info());
    return key == null ? document : key.complete(document);
  }

  /** Refuses a document that cannot be given to a partition, or not as Cosmos DB does it. */
  public void requireStorable(WriteOperation.Insert insert) {
    requireSize(insert.document());
    requireShortKeys(insert);
    if (provisioning.rules().account().isServerless()) {
      long bytes = Sizes.total(insert.collection().partitions()).bytes();
      provisioning.rules().account().requireStorage(bytes);
    }
    String path = insert.collection().info().partitionKey();
    if (path == null) {
      return;
    }
    RawValue key = insert.key().partitionKey();
    PartitionKeyRules.requireNoArray(key);
    boolean isMissing = key == null;
    if (isMissing && provisioning.rules().concerns(CosmosRule.DOCUMENT_SHARD_KEY)) {
      refuse(
          CosmosRule.DOCUMENT_SHARD_KEY,
          insert.collection(),
          new CommandException(
              ErrorCode.SHARD_KEY_NOT_FOUND,
              "document does not contain shard key at '" + path + "'"));
    }
  }

  /** Refuses an offer that would take those of all collections and databases over their limit. */
  public void requireRoom(Throughput present, Throughput asked) {
    AccountLimits account = provisioning.rules().account();
    if (account.limitsThroughput()) {
      long all = 0;
      for (CollectionStore collection : engine.collections()) {
        all += Throughput.fromBson(collection.info().throughput()).unitsPerSecond();
      }
      for (String database : throughputs.names()) {
        all += throughputs.of(database).unitsPerSecond();
      }
      account.requireRoom(all, asked.unitsPerSecond() - present.unitsPerSecond());
    }
  }

  public StorageEngine engine() {
    return engine;
  }

  /** The collection or view, or null when there is none. */
  public @Nullable CollectionStore find(String database, String collection) {
    return engine.find(new Namespace(database, collection));
  }

  /**
   * The time series whose buckets have that name; null when there is none, or when a collection
   * itself has it.
   */
  public @Nullable CollectionStore findSeries(String database, String buckets) {
    String name = TimeSeries.seriesOf(buckets);
    if (name == null || find(database, buckets) != null) {
      return null;
    }
    CollectionStore series = find(database, name);
    return series != null && TimeSeries.of(series.info()) != null ? series : null;
  }

  /** Whether there is a collection or view of that full name. */
  public boolean exists(String namespace) {
    int dot = namespace.indexOf('.');
    return find(namespace.substring(0, dot), namespace.substring(dot + 1)) != null;
  }

  /** The collection or view, or NamespaceNotFound in MongoDB's words. */
  public CollectionStore require(String database, String collection) {
    CollectionStore found = find(database, collection);
    if (found == null) {
      throw new CommandException(
          ErrorCode.NAMESPACE_NOT_FOUND, "ns does not exist: " + database + "." + collection);
    }
    return found;
  }

  /** The collection, created with defaults if it is missing. */
  public CollectionStore findOrCreate(String database, String collection) {
    var namespace = new Namespace(database, collection);
    for (; ; ) {
      CollectionStore found = engine.find(namespace);
      if (found != null) {
        return found;
      }
      CollectionStore created = create(namespace, plain(database));
      if (created != null) {
        return created;
      }
    }
  }

  /** The same for a command; with its transaction, what is created goes when that is aborted. */
  public CollectionStore findOrCreate(CommandContext context, String collection) {
    CollectionStore found = find(context.database(), collection);
    if (found != null) {
      return found;
    }
    CollectionStore created = findOrCreate(context.database(), collection);
    created(context, created);
    return created;
  }

  /** Notes what a command created. */
  public void created(CommandContext context, CollectionStore collection) {
    if (context.transaction() != null) {
      context.transaction().created(collection, () -> engine.dropEmpty(collection));
    }
  }

  private CollectionInfo.Creation plain(String database) {
    return new CollectionInfo.Creation(
        new BsonDocument(), null, List.of(IndexSpec.idIndex()), 1, newThroughput(database));
  }

  /** Creates a collection or view; null when the name is taken. */
  public @Nullable CollectionStore create(Namespace namespace, CollectionInfo.Creation creation) {
    requireNewName(namespace.database());
    if (!creation.options().containsKey(CollectionInfo.TEMPORARY)) {
      requireMayShare(namespace, creation);
      requireRoom(Throughput.NONE, Throughput.fromBson(creation.throughput()));
    }
    return engine.create(namespace, creation);
  }

  /** Refuses a collection that a database with throughput of its own cannot share it with. */
  public void requireMayShare(Namespace namespace, CollectionInfo.Creation creation) {
    boolean isShared =
        throughputs.of(namespace.database()).isProvisioned()
            && !creation.options().containsKey("viewOn")
            && !namespace.collection().startsWith("system.")
            && !Throughput.fromBson(creation.throughput()).isProvisioned();
    if (!isShared) {
      return;
    }
    if (creation.partitionKey() == null) {
      provisioning
          .rules()
          .refuse(
              CosmosRule.SHARED_SHARD_KEY,
              namespace.toString(),
              new CommandException(
                  ErrorCode.BAD_VALUE, "Shared throughput collection should have a partition key"));
    }
    long sharing =
        in(namespace.database()).stream()
            .map(CollectionStore::info)
            .filter(info -> !info.isView() && info.throughput().isEmpty())
            .count();
    if (sharing >= SHARED_COLLECTIONS_MAX) {
      provisioning
          .rules()
          .refuse(
              CosmosRule.SHARED_COLLECTIONS,
              namespace.toString(),
              new CommandException(
                  ErrorCode.BAD_VALUE,
                  "A database shares its throughput among %d collections at most; give this one"
                          .formatted(SHARED_COLLECTIONS_MAX)
                      + " its own"));
    }
  }

  /** Refuses a database whose name differs from another one only in case. */
  public void requireNewName(String database) {
    for (String other : names()) {
      if (other.equalsIgnoreCase(database) && !other.equals(database)) {
        throw new CommandException(
            ErrorCode.DATABASE_DIFFER_CASE,
            "db already exists with different case already have: [%s] trying to create [%s]"
                .formatted(other, database));
      }
    }
  }

  /** All databases that have a collection, or were created by name. */
  public SortedSet<String> names() {
    var names = new TreeSet<>(throughputs.names());
    for (CollectionStore collection : engine.collections()) {
      if (collection.info().namespace().equals(RETRY_RECORDS)) {
        continue; // the server's own, which makes no database
      }
      names.add(collection.info().namespace().database());
    }
    return names;
  }

  /** The collections and views of a database, sorted by name. */
  public List<CollectionStore> in(String database) {
    return engine.collections().stream()
        .filter(one -> one.info().namespace().database().equals(database))
        .toList();
  }
}
