package dev.orrery.server.command.data;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.ParseContext;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterMetadata;
import dev.orrery.language.query.MatchDetails;
import dev.orrery.language.update.Update;
import dev.orrery.language.update.UpdateOptions;
import dev.orrery.language.update.UpdateParser;
import dev.orrery.language.update.Upsert;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.collection.WriteFailures;
import dev.orrery.server.plan.DocumentCursor;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.ExplainVerbosity;
import dev.orrery.server.plan.PlanResult;
import dev.orrery.server.plan.Query;
import dev.orrery.server.plan.QueryPlan;
import dev.orrery.server.plan.Targets;
import dev.orrery.server.throughput.CosmosRule;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * An update statement at work: it finds documents, changes one or all of them, or inserts one. A
 * document that changes between being read and being written is read again.
 */
final class Modification {
  private static final int CHUNK_MAX = 200;

  /** In which command, on which collection. */
  record Site(
      DataServices services,
      DocumentWriter writer,
      String database,
      String collection,
      boolean isUnchecked) {
    boolean isInForce(CosmosRule rule) {
      return services.databases().provisioning().isInForce(rule);
    }

    /** Whether each of many documents needs units of its own, so that the rest may be refused. */
    boolean paysOneByOne(CollectionStore of) {
      return isInForce(CosmosRule.MULTI_UPDATES)
          && !services.databases().provisioning().rules().hasServerSideRetry()
          && !writer.isInTransaction()
          && writer.isLimited(of);
    }
  }

  /**
   * What came of it.
   *
   * @param before the single document as it was, or null when none was found
   * @param after the single document as it is now, or null
   * @param upsertedId the {@code _id} of the inserted document, or null
   * @param metadata what the search told of the single document
   * @param refusal why the rest of many was not changed, or null
   */
  record Result(
      long matched,
      long modified,
      @Nullable RawDocument before,
      @Nullable RawDocument after,
      @Nullable BsonValue upsertedId,
      Map<String, BsonValue> metadata,
      @Nullable CommandException refusal) {
    static final Result NOTHING = of(0, 0, null);

    Result(
        long matched,
        long modified,
        @Nullable RawDocument before,
        @Nullable RawDocument after,
        @Nullable BsonValue upsertedId,
        Map<String, BsonValue> metadata) {
      this(matched, modified, before, after, upsertedId, metadata, null);
    }

    static Result of(long matched, long modified, @Nullable CommandException refusal) {
      return new Result(matched, modified, null, null, null, Map.of(), refusal);
    }

    static Result upserted(RawDocument document) {
      return new Result(0, 0, null, document, document.field("_id").toBsonValue(), Map.of());
    }
  }

  /** Where a document is found again, also after a split. */
  private record Place(@Nullable RawValue partitionKey, byte[] primaryKey) {}

  private final Site site;
  private final UpdateStatement statement;
  private final Update update;
  private final Filter filter;
  private final QueryScope scope;
  private final CommandClock clock;
  private @Nullable CollectionStore collection;
  private @Nullable Targets targets;
  private @Nullable QueryPlan plan;
  private @Nullable DocumentChange change;

  // How far a change of many has come: it can be left, and goes on there.
  private @Nullable List<Place> places;
  private List<Place> chunk = List.of();
  private int next;
  private long matched;
  private long modified;

  /** Parses and plans; every error of the statement itself comes out here. */
  Modification(Site site, UpdateStatement statement, ParseContext variables) {
    this.site = site;
    this.statement = statement;
    this.clock = new CommandClock(site.services);
    this.collection = site.services.databases().find(site.database, site.collection);
    if (collection != null) {
      site.writer.requireCollection(collection);
    }
    UpdateStatement.Target target = statement.target();
    UpdateStatement.Options options = statement.options();
    this.scope = QueryScope.of(collection, target.collation(), variables);
    this.update =
        UpdateParser.parse(
            statement.update(),
            UpdateOptions.of(variables)
                .withArrayFilters(options.arrayFilters())
                .withConstants(options.constants())
                .forMany(options.isMulti())
                .withOrder(scope.collation().order()));
    this.filter =
        options.isUpsert()
            ? Upsert.parseFilter(target.filter(), scope.filters())
            : scope.filter(target.filter());
    prepare();
  }

  /** Plans for the collection as it is now. */
  private void prepare() {
    Query.Order order =
        FindQuery.order(
            statement.target().sort(), statement.target().hint(), scope, FilterMetadata.of(filter));
    if (collection == null) {
      return;
    }
    UpdateStatement.Target target = statement.target();
    Query query =
        Query.of(collection, filter, target.filter())
            .at(site.writer.view())
            .with(scope.collation())
            .with(new Query.Hints(target.hint(), null, null))
            .with(order)
            .with(statement.options().isMulti() ? Query.Window.ALL : new Query.Window(0, 1));
    targets = Plans.targets(query);
    plan = Plans.forUpdate(site.services.planner(), query, targets);
    change =
        new DocumentChange(collection, site.writer, filter, statement.options().isMulti())
            .checkedBy(
                site.isUnchecked
                    ? null
                    : site.services.databases().validators().find(collection.info()))
            .keepingKey(site.isInForce(CosmosRule.DOCUMENT_SHARD_KEY))
            .limitedTo(site.services.databases());
  }

  BsonDocument explain(ExplainVerbosity verbosity) {
    if (plan == null) {
      return ExplainStages.ofNothing(new Namespace(site.database, site.collection), verbosity);
    }
    Execution execution = site.writer.execution(site.services, collection, plan);
    return ExplainStages.ofUpdate(
        ExplainStages.priced(plan, collection, verbosity, execution),
        statement.options().isUpsert());
  }

  /** Whether it surely ends within microseconds. */
  boolean isShort() {
    return plan == null || plan.isShort() && !statement.options().isMulti();
  }

  @Nullable CollectionStore collection() {
    return collection;
  }

  Filter filter() {
    return filter;
  }

  Result run() {
    if (collection != null) {
      if (!statement.options().isMulti() || statement.options().isUpsert()) {
        site.services.databases().requireTarget(collection, filter);
      }
      site.writer.admit(targets);
    }
    Result result = statement.options().isMulti() ? updateAll() : updateOne();
    return result.matched == 0 && statement.options().isUpsert() ? upsert() : result;
  }

  private Result updateOne() {
    while (plan != null) {
      site.writer.checkDeadline();
      try (DocumentCursor results =
          plan.open(site.writer.execution(site.services, collection, plan))) {
        PlanResult found = results.next();
        if (found == null) {
          break;
        }
        RawDocument before = found.document();
        Update.Result after = change.keyed(before, update.apply(before, found.arrayIndex(), clock));
        if (!after.isModified()) {
          return new Result(1, 0, before, before, null, found.metadata());
        }
        if (change.apply(found.stored(), after)) {
          return new Result(1, 1, before, after.document(), null, found.metadata());
        }
      }
      DocumentWriter.requireExists(collection);
    }
    return Result.NOTHING;
  }

  /**
   * Changes all documents that match now. They are found first and changed then: a document that
   * moves in an index because of its change must not be met twice.
   */
  private Result updateAll() {
    if (plan == null) {
      return Result.NOTHING;
    }
    if (places == null) {
      places = places();
    }
    boolean isOneByOne = site.paysOneByOne(collection);
    while (next < places.size() || !chunk.isEmpty()) {
      site.writer.checkDeadline();
      if (chunk.isEmpty()) {
        CommandException refusal = isOneByOne && next > 0 ? refusal() : null;
        if (refusal != null) {
          return Result.of(matched, modified, refusal);
        }
        int to = Math.min(next + (isOneByOne ? 1 : CHUNK_MAX), places.size());
        chunk = places.subList(next, to);
        next = to;
      }
      updateChunk();
    }
    return Result.of(matched, modified, null);
  }

  /** Why no further document may be changed, or null. */
  private @Nullable CommandException refusal() {
    try {
      site.writer.admit(targets);
      return null;
    } catch (CommandException e) {
      return e;
    }
  }

  private List<Place> places() {
    var places = new ArrayList<Place>();
    try (DocumentCursor results =
        plan.open(site.writer.execution(site.services, collection, plan))) {
      for (PlanResult found = results.next(); found != null; found = results.next()) {
        RawDocument document = found.stored().document();
        RawValue key = collection.partitionKeyOf(document);
        places.add(new Place(key, collection.primaryKey(key, document.field("_id"))));
      }
    }
    return places;
  }

  /** Changes what it can of the chunk, and leaves in it what has to be read again. */
  private void updateChunk() {
    var operations = new ArrayList<WriteOperation>();
    var pending = new ArrayList<Place>();
    long unchanged = 0;
    for (Place place : chunk) {
      Update.Result after = read(place, operations);
      if (after == null) {
        continue;
      }
      if (after.isModified()) {
        pending.add(place);
      } else {
        unchanged++;
      }
    }
    int applied = commit(operations); // or the chunk is left as it is
    matched += unchanged + applied;
    modified += applied;
    chunk = pending.subList(applied, pending.size());
    if (!chunk.isEmpty()) {
      DocumentWriter.requireExists(collection);
    }
  }

  /** Reads a document again and adds its change; null when it is gone or matches no more. */
  private Update.@Nullable Result read(Place place, List<WriteOperation> operations) {
    StoredDocument stored =
        Lane.await(
            site.writer
                .view()
                .partitionOf(collection, place.partitionKey)
                .find(place.primaryKey, site.writer.meter()));
    var details = new MatchDetails();
    if (stored == null || !filter.matches(stored.document(), details)) {
      return null;
    }
    Update.Result after =
        change.keyed(
            stored.document(), update.apply(stored.document(), details.arrayIndex(), clock));
    if (after.isModified()) {
      operations.add(change.replacement(stored, after));
    }
    return after;
  }

  /** Commits up to the first conflict; how many operations were applied. */
  private int commit(List<WriteOperation> operations) {
    if (operations.isEmpty()) {
      return 0;
    }
    List<WriteOutcome> outcomes = site.writer.commit(operations, WriteBatch.OnFailure.STOP);
    for (int i = 0; i < outcomes.size(); i++) {
      WriteOutcome outcome = outcomes.get(i);
      if (outcome.status() == WriteOutcome.Status.CONFLICT) {
        return i;
      }
      if (!outcome.isApplied()) {
        var failed = (WriteOperation.Replace) operations.get(i);
        throw WriteFailures.of(outcome, collection.info(), failed.after());
      }
    }
    return outcomes.size();
  }

  /**
   * Inserts; when another client inserts the same key at the same time, its document is found and
   * updated instead.
   */
  private Result upsert() {
    RawDocument given = newDocument();
    collection = site.writer.findOrCreate(site.services.databases(), site.collection);
    if (plan == null) {
      prepare();
    }
    RawDocument document = Databases.withKey(collection, given);
    change.requireValid(document);
    var insert = new WriteOperation.Insert(collection, document);
    site.services.databases().requireStorable(insert);
    try {
      site.writer.insert(insert);
    } catch (CommandException e) {
      Result result =
          e.code() == ErrorCode.DUPLICATE_KEY && !statement.options().isMulti()
              ? updateOne()
              : Result.NOTHING;
      if (result.matched > 0) {
        return result;
      }
      throw e;
    }
    return Result.upserted(document);
  }

  private RawDocument newDocument() {
    UpdateStatement.Options options = statement.options();
    if (options.isSupplied() && options.constants() != null) {
      BsonValue supplied = options.constants().get("new");
      if (supplied != null && supplied.isDocument()) {
        return Upsert.supplied(filter, supplied.asDocument(), clock, site.services.ids());
      }
    }
    return Upsert.document(filter, update, clock, site.services.ids());
  }
}
