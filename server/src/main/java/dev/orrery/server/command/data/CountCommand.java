package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import dev.orrery.language.query.IntegerArgument;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.Sizes;
import dev.orrery.server.command.collection.TimeSeries;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.ExplainVerbosity;
import dev.orrery.server.plan.Query;
import dev.orrery.server.plan.QueryPlan;
import dev.orrery.server.plan.Targets;
import dev.orrery.server.throughput.MeteredRead;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code count}: how many documents match. */
public final class CountCommand implements Explainable {
  private static final Spec SPEC =
      Spec.of("count", Access.READ, Trait.READ_CONCERN, Trait.STABLE_API);
  private static final String DURING = "Executor error during count command";

  private final DataServices services;
  private final ViewReader views;

  public CountCommand(DataServices services, ViewReader views) {
    this.services = services;
    this.views = views;
  }

  @Override
  public Spec spec() {
    return SPEC;
  }

  /** What a count asks for; a limit of 0 is none. */
  record Params(
      String collection,
      RawDocument filter,
      ViewQueries.Window window,
      @Nullable BsonValue hint,
      @Nullable RawDocument collation) {
    static Params parse(CommandReader body) {
      String collection = body.readableCollection(ErrorCode.INVALID_NAMESPACE);
      RawDocument filter = body.rawDocument("query");
      long limit = limit(body.value("limit"));
      long skip = body.nonNegative("skip", 0);
      var params =
          new Params(
              collection,
              filter == null ? RawDocument.EMPTY : filter,
              new ViewQueries.Window(skip, limit),
              Hints.parse(body),
              body.rawDocument("collation"));
      body.ignore("fields", "queryOptions");
      body.reject("encryptionInformation", "collectionUUID");
      body.finish();
      return params;
    }

    /** A negative limit counts as far as a positive one. */
    private static long limit(@Nullable RawValue value) {
      if (value == null) {
        return 0;
      }
      if (!value.isNumber()) {
        throw new CommandException(ErrorCode.BAD_VALUE, "limit value is not a valid number");
      }
      var limit = IntegerArgument.parse("limit", value);
      if (!limit.isValid()) {
        throw new CommandException(ErrorCode.FAILED_TO_PARSE, limit.error());
      }
      if (limit.value() == Long.MIN_VALUE) {
        throw new CommandException(ErrorCode.BAD_VALUE, "limit value for count cannot be min long");
      }
      return Math.abs(limit.value());
    }
  }

  @Override
  public CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
    Params params = Params.parse(body);
    CollectionStore collection = services.databases().find(context.database(), params.collection);
    if (isPiped(context, collection, params.collection)) {
      if (collection != null) {
        ViewQueries.requireCollation(collection, params.collation);
      }
      return views.aggregate(context, ofView(params)).thenApply(CountCommand::counted);
    }
    Query query = query(collection, params);
    if (collection == null) {
      return CompletableFuture.completedFuture(reply(0));
    }
    Targets targets = Plans.targets(query);
    context.work().admit(targets);
    boolean expires = services.databases().expiry().of(collection.info()) != null;
    if (params.filter.isEmpty() && params.hint == null && !expires) {
      context.work().asked(collection);
      long all = query.window().of(countAll(collection));
      return CompletableFuture.completedFuture(reply(all));
    }
    QueryPlan plan = Plans.of(services.planner(), query, targets);
    Supplier<QueryPlan> plans = Replanning.plans(plan, () -> Plans.of(services.planner(), query));
    return Replanning.start(
        services.workers(), plan.isShort(), () -> reply(count(context, query, plans.get())));
  }

  /** Whether a pipeline counts: of a view, the buckets of a time series, and the series itself. */
  private boolean isPiped(
      CommandContext context, @Nullable CollectionStore collection, String name) {
    return collection == null
        ? services.databases().findSeries(context.database(), name) != null
        : collection.info().isView() || TimeSeries.of(collection.info()) != null;
  }

  Query query(@Nullable CollectionStore collection, Params params) {
    var scope = QueryScope.of(collection, params.collation, QueryScope.variables(services, null));
    return Query.of(collection, scope.filter(params.filter), params.filter)
        .with(scope.collation())
        .with(new Query.Hints(params.hint, null, null))
        .with(new Query.Window(params.window.skip(), params.window.limit()));
  }

  @Override
  public @Nullable BsonDocument onView(CommandContext context, CommandReader body) {
    Params params = Params.parse(body);
    CollectionStore collection = services.databases().find(context.database(), params.collection);
    return ViewQueries.onView(collection, params.collation, () -> ofView(params));
  }

  private static BsonDocument ofView(Params params) {
    return ViewQueries.count(params.collection, params.filter, params.window, params.collation);
  }

  @Override
  public BsonDocument explain(
      CommandContext context, CommandReader body, ExplainVerbosity verbosity) {
    Params params = Params.parse(body);
    CollectionStore collection = services.databases().find(context.database(), params.collection);
    Query query = query(collection, params);
    if (collection == null) {
      return ExplainStages.ofNothing(
          new Namespace(context.database(), params.collection), verbosity);
    }
    QueryPlan plan = Plans.of(services.planner(), query).forCount();
    Execution execution = services.execution(context, true);
    context.work().owe(new MeteredRead(collection, execution, plan.isPointRead()));
    BsonDocument explained = ExplainStages.priced(plan, collection, verbosity, execution);
    return ExplainStages.ofCount(explained, query.window());
  }

  private static long countAll(CollectionStore collection) {
    return Sizes.of(collection, List.of()).documents();
  }

  private long count(CommandContext context, Query query, QueryPlan plan) {
    Execution execution = services.execution(context, true);
    context.work().owe(new MeteredRead(query.collection(), execution, plan.isPointRead()));
    try {
      return plan.count(execution);
    } catch (CommandException e) {
      throw Cursors.during(DURING, e);
    }
  }

  private static BsonDocument reply(long count) {
    return new BsonDocument("n", Numbers.intOrLong(count));
  }

  /** An aggregation that counts nothing gives no document. */
  private static BsonDocument counted(BsonDocument reply) {
    BsonArray batch = reply.getDocument("cursor").getArray("firstBatch");
    BsonValue count =
        batch.isEmpty() ? Numbers.intOrLong(0) : batch.get(0).asDocument().get("count");
    return new BsonDocument("n", count).append("ok", new BsonInt32(1)); // not a double, here
  }
}
