package dev.orrery.server.command.schema;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.RawNumbers;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.collection.DuplicateKeys;
import dev.orrery.server.command.collection.TimeSeries;
import dev.orrery.server.command.collection.ViewErrors;
import dev.orrery.server.command.collection.WriteFailures;
import dev.orrery.server.operation.Operation;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.UniqueViolationException;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexKeyException;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * {@code createIndexes}: builds indexes while reads and writes go on, and creates the collection if
 * there is none.
 */
final class CreateIndexesCommand implements Command {
  private static final int MEMBERS_MAX = 50;

  private final Databases databases;
  private final Supplier<UUID> ids;

  /**
   * @param ids names index builds in error messages
   */
  CreateIndexesCommand(Databases databases, Supplier<UUID> ids) {
    this.databases = databases;
    this.ids = ids;
  }

  @Override
  public Spec spec() {
    return Spec.of(
        "createIndexes",
        Access.WRITE,
        Trait.DEFINES,
        Trait.LONG,
        Trait.PARSED_FIRST,
        Trait.STABLE_API,
        Trait.TRANSACTION,
        Trait.WRITE_CONCERN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String collection = body.collection();
    List<RawDocument> given = body.requireDocuments("indexes");
    boolean dropsUnknown = body.safeBool("ignoreUnknownIndexOptions", false);
    body.ignore("v", "commitQuorum", "returnOnStart", "collectionUUID");
    requireIgnored(body);
    body.finish();
    context.enterTransaction();
    var namespace = new Namespace(context.database(), collection);
    SystemNames.requireWritable(namespace.database(), collection);
    if (given.isEmpty()) {
      throw new CommandException(ErrorCode.BAD_VALUE, "Must specify at least one index to create");
    }
    var specs = new ArrayList<BsonDocument>();
    given.forEach(spec -> specs.add(IndexDefinition.parse(spec, dropsUnknown)));
    boolean mayNever = databases.provisioning().rules().isCosmos();
    given.forEach(spec -> IndexRules.requireExpiry(spec.toBsonDocument(), mayNever));
    BsonDocument reply = create(context, namespace, specs);
    context.awaitDurable(databases.engine().receipt());
    return reply;
  }

  /** What changes nothing must have the right type all the same. */
  private static void requireIgnored(CommandReader body) {
    body.int64("v", 2);
    body.optionalBool("returnOnStart", false);
    requireCommitQuorum(body.value("commitQuorum"));
  }

  /** Every quorum is met at once. */
  private static void requireCommitQuorum(@Nullable RawValue quorum) {
    if (quorum == null || quorum.type() == RawTypes.STRING) {
      return;
    }
    if (!quorum.isNumber()) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE, "commitQuorum has to be a number or a string");
    }
    long members = RawNumbers.toLong(quorum);
    if (members < 0 || members > MEMBERS_MAX) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE,
          "commitQuorum has to be a non-negative number and not greater than " + MEMBERS_MAX);
    }
  }

  private BsonDocument create(
      CommandContext context, Namespace namespace, List<BsonDocument> specs) {
    Operation operation = context.operation();
    for (; ; ) {
      CollectionStore found = databases.find(namespace.database(), namespace.collection());
      boolean isNew = found == null;
      if (isNew) {
        // A bad index must not leave a new collection behind.
        missing(new Build(namespace, null, ids.get(), operation, false), specs, List.of());
        found = databases.findOrCreate(context, namespace.collection());
      } else {
        requireMayBuild(context, found, specs);
      }
      try {
        return create(operation, found, specs, isNew);
      } catch (StorageException e) {
        if (e.reason() != StorageException.Reason.COLLECTION_DROPPED) {
          throw e;
        }
      }
      operation.check(); // it was dropped before anything was done: begin anew
    }
  }

  /** A transaction builds indexes only where nobody else has anything yet. */
  private void requireMayBuild(
      CommandContext context, CollectionStore found, List<BsonDocument> specs) {
    if (context.transaction() == null || found.info().isView()) {
      return;
    }
    Namespace namespace = found.info().namespace();
    if (context.transaction().hasCreated(found)) {
      requireEmpty(context, found);
      return;
    }
    Build build = build(found, specs, context.operation());
    if (!missing(build, specs, existing(found.info())).isEmpty()) {
      throw new CommandException(
          ErrorCode.OPERATION_NOT_SUPPORTED_IN_TRANSACTION,
          "Cannot create new indexes on existing collection %s in a multi-document transaction."
              .formatted(namespace));
    }
  }

  /** Nor where the transaction itself has written already. */
  private static void requireEmpty(CommandContext context, CollectionStore created) {
    for (PartitionStore partition : context.view().partitions(created)) {
      if (partition.scan(false).awaitNext(new WorkMeter()) != null) {
        throw new CommandException(
            ErrorCode.OPERATION_NOT_SUPPORTED_IN_TRANSACTION,
            "Cannot create new indexes on non-empty collection %s in a multi-document transaction."
                .formatted(created.info().namespace()));
      }
    }
  }

  /**
   * @throws StorageException COLLECTION_DROPPED when that happened before the build began
   */
  private BsonDocument create(
      Operation operation,
      CollectionStore collection,
      List<BsonDocument> specs,
      boolean isNewCollection) {
    if (collection.info().isView()) {
      throw ViewErrors.notSupported("Cannot create indexes on a view");
    }
    Build build = build(collection, specs, operation);
    var choice = new Choice(build, specs);
    build(build, choice);
    int before = choice.before;
    if (choice.missing.isEmpty()) {
      return counts(before, before).append("note", new BsonString("all indexes already exist"));
    }
    BsonDocument reply =
        counts(before, before + choice.missing.size())
            .append("createdCollectionAutomatically", BsonBoolean.valueOf(isNewCollection));
    if (choice.missing.size() != specs.size()) {
      reply.append("note", new BsonString("index already exists"));
    }
    return reply;
  }

  private Build build(CollectionStore collection, List<BsonDocument> specs, Operation operation) {
    var buckets = new BsonString(IndexKeyPattern.BUCKETS);
    boolean isOfBuckets =
        specs.stream().anyMatch(spec -> spec.getDocument("key").containsValue(buckets));
    boolean hasOthers = isOfBuckets && hasOtherThanBuckets(collection, operation);
    Namespace namespace = collection.info().namespace();
    return new Build(namespace, collection, ids.get(), operation, hasOthers);
  }

  private static boolean hasOtherThanBuckets(CollectionStore collection, Operation operation) {
    var meter = new WorkMeter();
    for (PartitionStore partition : collection.partitions()) {
      RecordCursor cursor = partition.scan(false);
      for (var one = cursor.awaitNext(meter); one != null; one = cursor.awaitNext(meter)) {
        operation.check();
        RawValue control = one.document().field("control");
        if (control == null || !control.isDocument()) {
          return true;
        }
      }
    }
    return false;
  }

  /** Which indexes are missing, found out when no other can come: two may ask for the same one. */
  private final class Choice implements Function<CollectionInfo, List<IndexSpec>> {
    private final Build build;
    private final List<BsonDocument> specs;
    private List<IndexSpec> missing = List.of();
    private int before;
    private boolean isMade;

    Choice(Build build, List<BsonDocument> specs) {
      this.build = build;
      this.specs = specs;
    }

    @Override
    public List<IndexSpec> apply(CollectionInfo present) {
      if (!build.collection.exists()) {
        throw new StorageException(
            StorageException.Reason.COLLECTION_DROPPED, build.namespace + " was dropped");
      }
      List<BsonDocument> existing = existing(present);
      before = existing.size();
      missing = missing(build, specs, existing);
      if (!missing.isEmpty()) {
        new CosmosIndexRules(databases.provisioning().rules()).require(subject(build), missing);
        missing = databases.expiry().dated(missing);
      }
      isMade = true;
      return missing;
    }
  }

  private static CosmosIndexRules.Subject subject(Build build) {
    if (build.collection == null) {
      return new CosmosIndexRules.Subject(build.namespace, null, 0, false);
    }
    List<IndexSpec> present =
        build.collection.info().indexes().stream().map(CollectionInfo.IndexEntry::spec).toList();
    return CosmosIndexRules.Subject.of(build.collection, present);
  }

  private static BsonDocument counts(int before, int after) {
    return new BsonDocument("numIndexesBefore", new BsonInt32(before))
        .append("numIndexesAfter", new BsonInt32(after));
  }

  private static List<BsonDocument> existing(CollectionInfo info) {
    boolean isSeries = TimeSeries.of(info) != null; // which shows no index on _id
    return info.indexes().stream()
        .map(CollectionInfo.IndexEntry::spec)
        .filter(index -> !isSeries || !index.isIdIndex())
        .map(IndexSpec::document)
        .toList();
  }

  /** One build, which messages name by its id and that of the collection. */
  private record Build(
      Namespace namespace,
      @Nullable CollectionStore collection,
      UUID id,
      Operation operation,
      boolean hasOthers) {
    BsonDocument options() {
      return collection == null ? new BsonDocument() : collection.info().options();
    }

    boolean hasDocuments() {
      return collection != null
          && collection.partitions().stream().anyMatch(one -> one.statistics().documents() > 0);
    }

    /** Over documents a failure is one of the build; MongoDB has a shorter way without any. */
    CommandException failed(CommandException cause) {
      return hasDocuments() ? named(cause) : cause;
    }

    /** Whoever drops a collection ends the builds that are under way there. */
    CommandException dropped() {
      return named(
          new CommandException(
              ErrorCode.INDEX_BUILD_ABORTED,
              "Collection %s(%s) is being dropped".formatted(namespace, collection.info().uuid())));
    }

    CommandException begun(List<BsonDocument> specs, CommandException cause) {
      return new CommandException(
          cause.code(),
          "Caught exception during index builder (%s) initialization on namespace%s (%s). %d index specs provided. First index spec: %s :: caused by :: %s"
              .formatted(
                  id,
                  namespace,
                  collection.info().uuid(),
                  specs.size(),
                  BsonText.document(specs.get(0)),
                  cause.getMessage()));
    }

    private CommandException named(CommandException cause) {
      return new CommandException(
          cause.code(),
          "Index build failed: %s: Collection %s ( %s ) :: caused by :: %s"
              .formatted(id, namespace, collection.info().uuid(), cause.getMessage()),
          cause.details());
    }
  }

  /** Those that are not there yet, in the form in which they are kept. */
  private static List<IndexSpec> missing(
      Build build, List<BsonDocument> specs, List<BsonDocument> existing) {
    BsonDocument inherited = build.options().getDocument("collation", null);
    var wanted = new ArrayList<BsonDocument>();
    for (BsonDocument spec : specs) {
      BsonDocument resolved = IndexDefinition.withCollation(spec, inherited);
      IndexRules.requireIdCollation(resolved, inherited);
      BsonDocument complete = IndexRules.require(resolved, build.options());
      requireBuckets(build, complete.getDocument("key"));
      IndexKeyPattern.requireSupported(complete.getDocument("key"));
      BsonDocument fixed = IndexDefinition.fix(complete);
      boolean isThere =
          fixed.containsKey("clustered")
              || (build.collection == null && IndexKeyPattern.isId(fixed.getDocument("key")))
              || IndexConflicts.exists(build.namespace.toString(), existing, fixed);
      if (!isThere) {
        wanted.add(fixed);
      }
    }
    requireDistinct(build, wanted, existing);
    return wanted.stream().map(IndexSpec::of).toList();
  }

  /** What MongoDB says of an index of buckets over other documents; over buckets there is none. */
  private static void requireBuckets(Build build, BsonDocument key) {
    if (IndexKeyPattern.kind(key).equals(IndexKeyPattern.BUCKETS) && build.hasOthers) {
      throw build.named(
          new CommandException(
              ErrorCode.LOCATION_6540600,
              "Time-series bucket documents must have 'control' object present"));
    }
  }

  private static void requireDistinct(
      Build build, List<BsonDocument> wanted, List<BsonDocument> existing) {
    var before = new ArrayList<>(existing);
    for (BsonDocument spec : wanted) {
      try {
        IndexKeyPattern.requireHashable(
            spec.getDocument("key"), IndexDefinition.isTrue(spec, "unique"));
        if (IndexConflicts.exists(build.namespace.toString(), before, spec)) {
          throw twice(build, spec);
        }
      } catch (CommandException e) {
        throw build.failed(e);
      }
      before.add(spec);
    }
    requireBuildable(build, wanted);
  }

  /** What MongoDB finds when it begins to build; then it names the first index of all. */
  private static void requireBuildable(Build build, List<BsonDocument> wanted) {
    try {
      wanted.forEach(GeoIndexRules::requireBuildable);
    } catch (CommandException e) {
      throw build.hasDocuments() ? build.named(build.begun(wanted, e)) : e;
    }
  }

  private static CommandException twice(Build build, BsonDocument spec) {
    return build.hasDocuments()
        ? new CommandException(
            ErrorCode.OPERATION_FAILED,
            "Cannot build two identical indexes. Try again without duplicate indexes.")
        : new CommandException(
            ErrorCode.INDEX_ALREADY_EXISTS,
            "Identical index already exists: " + spec.getString("name").getValue());
  }

  private void build(Build build, Choice choice) {
    try {
      databases.engine().createIndexes(build.collection, choice, build.operation::check);
    } catch (UniqueViolationException e) {
      throw build.failed(DuplicateKeys.error(build.namespace, e.index(), e.key(), e.document()));
    } catch (IndexKeyException e) {
      throw build.failed(keyError(e));
    } catch (CommandException e) {
      throw choice.isMade ? build.failed(e) : e;
    } catch (StorageException e) {
      boolean isDropped = e.reason() == StorageException.Reason.COLLECTION_DROPPED;
      throw isDropped && choice.isMade ? build.dropped() : e;
    }
  }

  private static CommandException keyError(IndexKeyException problem) {
    return problem.reason() == IndexKeyException.Reason.AMBIGUOUS_FIELD
        ? new CommandException(
            ErrorCode.LOCATION_16746,
            problem.getMessage() + BsonText.stored(problem.array().toBsonDocument()))
        : WriteFailures.unindexable(problem);
  }
}
