package dev.orrery.server.command.data;

import dev.orrery.language.aggregate.stage.Output;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.query.Collation;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterContext;
import dev.orrery.language.query.FilterParser;
import dev.orrery.language.update.DocumentDifference;
import dev.orrery.server.command.ClaimedException;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.Names;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.collection.DocumentValidator;
import dev.orrery.server.command.collection.NewDocument;
import dev.orrery.server.command.collection.PartitionKeyRules;
import dev.orrery.server.command.collection.WriteFailures;
import dev.orrery.server.command.collection.WriteTarget;
import dev.orrery.server.plan.DocumentCursor;
import dev.orrery.server.plan.PlanResult;
import dev.orrery.server.plan.Query;
import dev.orrery.server.plan.QueryPlan;
import dev.orrery.server.synthetic.SyntheticKey;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** Where the $out and $merge of one aggregate command write. */
final class AggregateOutput implements Output {
  private final DataServices services;
  private final DocumentWriter writer;
  private final CommandClock clock;
  private final boolean isUnchecked;

  AggregateOutput(DataServices services, CommandContext context, boolean isUnchecked) {
    this.services = services;
    this.writer = new DocumentWriter(services.databases(), context);
    this.clock = new CommandClock(services);
    this.isUnchecked = isUnchecked;
  }

  private @Nullable CollectionStore find(Namespace target) {
    return services.databases().find(target.database(), target.collection());
  }

  @Override
  public void requireWritable(Namespace target) {
    CollectionStore found = find(target);
    if (found != null) {
      WriteTarget.requireCollection(found);
    }
  }

  @Override
  public BsonDocument keyed(Namespace target, BsonDocument document) {
    CollectionStore found = find(target);
    SyntheticKey key = found == null ? null : SyntheticKey.of(found.info());
    return key == null || !key.isSteady()
        ? document
        : key.complete(RawDocument.of(document)).toBsonDocument();
  }

  @Override
  public void insert(Namespace target, BsonDocument document) {
    Names.requireCreatable(target.database(), target.collection());
    insert(services.databases().findOrCreate(target.database(), target.collection()), document);
  }

  private void insert(CollectionStore collection, BsonDocument document) {
    RawDocument prepared =
        Databases.withKey(
            collection, NewDocument.of(RawDocument.of(document), services.ids(), clock));
    DocumentValidator validator = validator(collection.info());
    if (validator != null) {
      validator.requireValid(prepared);
    }
    var insert = new WriteOperation.Insert(collection, prepared);
    services.databases().requireStorable(insert);
    try {
      waiting(
          () -> {
            writer.insert(insert);
            return true;
          });
    } catch (CommandException e) {
      throw services.databases().worded(e, collection.info().namespace());
    }
  }

  /**
   * Does that when no transaction has what it changes. A pipeline cannot be left in its middle, so
   * it waits on its thread; those that are too many for that are told to try again.
   */
  private <T> T waiting(Supplier<T> work) {
    for (; ; ) {
      try {
        return work.get();
      } catch (ClaimedException claimed) {
        if (!services.workers().waitHere(claimed.freed(), writer::checkDeadline)) {
          throw TransactionErrors.conflict();
        }
      }
    }
  }

  private @Nullable DocumentValidator validator(CollectionInfo info) {
    return isUnchecked ? null : services.databases().validators().find(info);
  }

  @Override
  public @Nullable Existing find(Namespace target, BsonDocument key, Collation collation) {
    return Replanning.run(() -> findOnce(target, key, collation));
  }

  private @Nullable Existing findOnce(Namespace target, BsonDocument key, Collation collation) {
    CollectionStore collection = find(target);
    if (collection == null) {
      return null;
    }
    var conditions = new BsonArray();
    key.forEach(
        (path, value) -> conditions.add(new BsonDocument(path, new BsonDocument("$eq", value))));
    var filter = RawDocument.of(new BsonDocument("$and", conditions));
    Filter parsed = FilterParser.parse(filter, FilterContext.DEFAULT.withOrder(collation.order()));
    Query query = Query.of(collection, parsed, filter).with(collation);
    QueryPlan plan = services.planner().plan(query);
    try (DocumentCursor cursor = plan.open(writer.execution(services, collection, plan))) {
      PlanResult found = cursor.next();
      return found == null ? null : new Stored(collection, found.stored());
    }
  }

  /** A document of the target. */
  private final class Stored implements Existing {
    private final CollectionStore collection;
    private final StoredDocument stored;

    Stored(CollectionStore collection, StoredDocument stored) {
      this.collection = collection;
      this.stored = stored;
    }

    @Override
    public BsonDocument document() {
      return stored.document().toBsonDocument();
    }

    @Override
    public boolean replace(BsonDocument after, boolean isWhole) {
      RawDocument given = NewDocument.of(RawDocument.of(after), services.ids(), clock);
      SyntheticKey key = SyntheticKey.of(collection.info());
      RawDocument prepared = key == null ? given : key.keep(stored.document(), given, isWhole);
      DocumentValidator validator = validator(collection.info());
      if (validator != null) {
        validator.requireValid(stored.document(), prepared);
      }
      services.databases().requireSize(prepared);
      PartitionKeyRules.requireNoArrayAfterUpdate(collection, prepared);
      if (!PartitionKeyRules.isSameKey(collection, stored.document(), prepared)) {
        throw PartitionKeyRules.changedByMerge(collection, prepared);
      }
      if (prepared.equals(stored.document())) {
        return true;
      }
      RawDocument delta = isWhole ? null : DocumentDifference.of(stored.document(), prepared);
      WriteOutcome outcome =
          waiting(
              () -> writer.commit(new WriteOperation.Replace(collection, stored, prepared, delta)));
      if (outcome.isApplied() || outcome.status() == WriteOutcome.Status.CONFLICT) {
        return outcome.isApplied();
      }
      throw services
          .databases()
          .worded(
              WriteFailures.of(outcome, collection.info(), prepared),
              collection.info().namespace());
    }
  }

  @Override
  public Replacement replace(Namespace target) {
    requireWritable(target);
    CollectionStore old = find(target);
    if (old != null && old.info().options().containsKey("capped")) {
      throw new CommandException(
          ErrorCode.LOCATION_17152,
          "namespace '" + target + "' is capped so it can't be used for $out");
    }
    return new NewCollection(target);
  }

  /** The collection that $out fills before it takes the place of its target. */
  private final class NewCollection implements Replacement {
    private final Namespace target;
    private final Namespace name;
    private final CollectionStore collection;
    private boolean isCommitted;

    NewCollection(Namespace target) {
      this.target = target;
      var random = ThreadLocalRandom.current();
      // A random UUID of the usual form: version 4, variant 2.
      long high = random.nextLong() & ~0xF000L | 0x4000L;
      long low = random.nextLong() >>> 2 | Long.MIN_VALUE;
      this.name = new Namespace(target.database(), "tmp.agg_out." + new UUID(high, low));
      CollectionStore old = find(target);
      this.collection = services.databases().create(name, creation(old));
    }

    private CollectionInfo.Creation creation(@Nullable CollectionStore old) {
      if (old == null) {
        var creation =
            new CollectionInfo.Creation(
                temporary(new BsonDocument()),
                null,
                List.of(IndexSpec.idIndex()),
                1,
                services.databases().newThroughput(target.database()));
        services.databases().requireMayShare(target, creation);
        return creation;
      }
      CollectionInfo info = old.info();
      return new CollectionInfo.Creation(
          temporary(info.options()),
          info.partitionKey(),
          info.readyIndexes(),
          old.partitions().size(),
          info.throughput());
    }

    /** So that the next start drops it when this one ends before the rename. */
    private static BsonDocument temporary(BsonDocument options) {
      return options.clone().append(CollectionInfo.TEMPORARY, BsonBoolean.TRUE);
    }

    @Override
    public void insert(BsonDocument document) {
      AggregateOutput.this.insert(collection, document);
    }

    @Override
    public void commit() {
      requireName();
      isCommitted = services.databases().engine().rename(collection, name, target, true);
      if (!isCommitted) {
        requireWritable(target); // it may have become a view
        throw new CommandException(
            ErrorCode.NAMESPACE_NOT_FOUND, "Source collection " + name + " does not exist");
      }
    }

    /** MongoDB looks at the name only when all is ready to be renamed. */
    private void requireName() {
      try {
        Names.requireCreatable(target.database(), target.collection());
      } catch (CommandException e) {
        throw new CommandException(
            ErrorCode.ILLEGAL_OPERATION, "error with target namespace: " + e.getMessage());
      }
    }

    @Override
    public void close() {
      if (!isCommitted) {
        services.databases().engine().drop(collection);
      }
    }
  }
}
