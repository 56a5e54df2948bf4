package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.query.Equalities;
import dev.orrery.language.query.GeoFilters;
import dev.orrery.language.query.TextFilters;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.ConfigDatabase;
import dev.orrery.server.cursor.ClientCursor;
import dev.orrery.server.cursor.TailableCursor;
import dev.orrery.server.plan.DocumentCursor;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.ExplainVerbosity;
import dev.orrery.server.plan.Query;
import dev.orrery.server.plan.QueryPlan;
import dev.orrery.server.plan.Targets;
import dev.orrery.server.throughput.MeteredRead;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.BsonEncoder;
import dev.orrery.value.FieldPath;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** {@code find}: the first batch of the documents that match, and a cursor for the others. */
public final class FindCommand implements Explainable {
  private static final Spec SPEC =
      Spec.of("find", Access.READ, Trait.SNAPSHOT, Trait.STABLE_API, Trait.TRANSACTION)
          .fieldsOf("FindCommandRequest");
  private static final FieldPath ID = FieldPath.parse("_id");
  private static final String DURING = "Executor error during find command";

  private final DataServices services;
  private final ViewReader views;
  private final ConfigDatabase config;

  public FindCommand(DataServices services, ViewReader views) {
    this.services = services;
    this.views = views;
    this.config = new ConfigDatabase(services.databases(), services.clock());
  }

  @Override
  public Spec spec() {
    return SPEC;
  }

  @Override
  public boolean answer(CommandContext context, CommandReader body, BsonEncoder reply) {
    PointRead read = PointRead.find(body, services.databases());
    if (read == null) {
      return false;
    }
    read.answer(context.work(), services.planner().indexUses(), reply);
    return true;
  }

  @Override
  public CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
    FindParams params = FindParams.parse(body);
    var namespace = new Namespace(context.database(), params.collection());
    CollectionStore collection = services.databases().find(context.database(), params.collection());
    if (collection != null && collection.info().isView()) {
      ViewQueries.requireCollation(collection, params.selection().collation());
      return views.aggregate(context, ViewQueries.find(params));
    }
    if (collection == null && isBuckets(context, params)) {
      return views.aggregate(context, ViewQueries.find(params));
    }
    Query query = FindQuery.of(services, collection, params).at(context.view());
    if (collection == null) {
      List<RawDocument> listed =
          namespace.database().equals(ConfigDatabase.NAME)
              ? config.find(namespace.collection())
              : null;
      List<RawDocument> found = listed == null ? List.of() : ListedDocuments.select(listed, query);
      return CompletableFuture.completedFuture(Cursors.first(found, 0, namespace));
    }
    if (params.mode().isTailable() && context.transaction() != null) {
      throw new CommandException(
          ErrorCode.INVALID_OPTIONS, "It is illegal to open a tailable cursor in a transaction");
    }
    Targets targets = Plans.targets(query);
    context.work().admit(targets);
    if (params.mode().isTailable()) {
      requireNoNear(query);
      requireCapped(query, params);
      services.planner().indexUses().addTailableScan(collection);
      return services.workers().run(() -> tail(context, query, params));
    }
    QueryPlan plan = Plans.forFind(services.planner(), query, targets, params);
    Supplier<QueryPlan> plans = Replanning.plans(plan, () -> plan(query, params));
    return Replanning.start(
        services.workers(), plan.isShort(), () -> open(context, query, plans.get(), params));
  }

  @Override
  public @Nullable BsonDocument onView(CommandContext context, CommandReader body) {
    FindParams params = FindParams.parse(body);
    CollectionStore collection = services.databases().find(context.database(), params.collection());
    if (collection == null && isBuckets(context, params)) {
      return ViewQueries.find(params);
    }
    return ViewQueries.onView(
        collection, params.selection().collation(), () -> ViewQueries.find(params));
  }

  private boolean isBuckets(CommandContext context, FindParams params) {
    return services.databases().findSeries(context.database(), params.collection()) != null;
  }

  @Override
  public BsonDocument explain(
      CommandContext context, CommandReader body, ExplainVerbosity verbosity) {
    FindParams params = FindParams.parse(body);
    CollectionStore collection = services.databases().find(context.database(), params.collection());
    Query query = FindQuery.of(services, collection, params);
    if (collection == null) {
      return ExplainStages.ofNothing(
          new Namespace(context.database(), params.collection()), verbosity);
    }
    QueryPlan plan = plan(query, params);
    Execution execution = execution(context, params);
    context.work().owe(new MeteredRead(collection, execution, plan.isPointRead()));
    return ExplainStages.priced(plan, collection, verbosity, execution);
  }

  private Execution execution(CommandContext context, FindParams params) {
    return services.execution(context, params.mode().usesDisk());
  }

  private static void requireNoNear(Query query) {
    if (TextFilters.find(query.criteria().filter()) != null) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "text and tailable cursor not allowed in same query");
    }
    if (GeoFilters.findNear(query.criteria().filter()) != null) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "Tailable cursors and geo $near cannot be used together");
    }
  }

  private static void requireCapped(Query query, FindParams params) {
    if (query.collection().info().cappedLimits() == null) {
      throw QueryText.notCapped(query.collection().info().namespace(), params);
    }
  }

  private BsonDocument open(
      CommandContext context, Query query, QueryPlan plan, FindParams params) {
    Execution execution = execution(context, params);
    context.operation().planned(plan);
    try {
      DocumentCursor results = plan.open(execution);
      var cursor =
          new ClientCursor(
              owner(context, query.collection(), params), results, execution, end(query));
      cursor.meteredBy(new MeteredRead(query.collection(), execution, plan.isPointRead()));
      cursor.over(query.collection()).inOneBatch(params.page().isSingleBatch());
      return firstBatch(context, params, cursor);
    } catch (CommandException e) {
      throw Cursors.during(DURING, e);
    }
  }

  private QueryPlan plan(Query query, FindParams params) {
    return Plans.forFind(services.planner(), query, Plans.targets(query), params);
  }

  /** MongoDB knows the end before it comes to it after a sort, a limit or a read by _id. */
  private static ClientCursor.End end(Query query) {
    boolean looksAhead =
        query.order().sort() != null
            || query.window().limit() > 0
            || Equalities.fixedValues(query.criteria().filter(), ID) != null;
    return looksAhead ? ClientCursor.End.CLOSES_EARLY : ClientCursor.End.CLOSES;
  }

  private BsonDocument tail(CommandContext context, Query query, FindParams params) {
    var execution = new Execution(services.area(), params.mode().usesDisk());
    CollectionStore collection = query.collection();
    var results =
        new TailableCursor(
            collection, query.criteria().filter(), query.output().projection(), execution);
    var end = params.mode().awaitsData() ? ClientCursor.End.AWAITS : ClientCursor.End.STAYS;
    var cursor = new ClientCursor(owner(context, collection, params), results, execution, end);
    cursor.over(collection);
    try {
      List<RawDocument> batch = nextBatch(context, params, cursor);
      // MongoDB gives no cursor on an empty collection: there is no record to go on from.
      long id = results.hasSeenRecords() ? Cursors.keep(context, services.cursors(), cursor) : 0;
      return Cursors.first(batch, id, collection.info().namespace());
    } catch (CommandException e) {
      throw Cursors.during(DURING, e);
    }
  }

  private static ClientCursor.Owner owner(
      CommandContext context, CollectionStore collection, FindParams params) {
    return Cursors.owner(context, collection.info().namespace(), params.mode().hasNoTimeout());
  }

  private static List<RawDocument> nextBatch(
      CommandContext context, FindParams params, ClientCursor cursor) {
    return cursor.nextBatch(params.page().firstBatch(), context.operation().replyMemory());
  }

  private BsonDocument firstBatch(CommandContext context, FindParams params, ClientCursor cursor) {
    boolean isKept = false;
    try {
      List<RawDocument> batch = nextBatch(context, params, cursor);
      context.work().read(cursor.metered(), batch);
      isKept = !cursor.isExhausted() && !params.page().isSingleBatch();
      long id = isKept ? Cursors.keep(context, services.cursors(), cursor) : 0;
      return Cursors.first(batch, id, cursor.owner().namespace());
    } finally {
      if (!isKept) {
        cursor.close();
      }
    }
  }
}
