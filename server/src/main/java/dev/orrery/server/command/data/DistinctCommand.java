package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.FieldNames;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.query.Projection;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.plan.DocumentCursor;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.ExplainVerbosity;
import dev.orrery.server.plan.PlanResult;
import dev.orrery.server.plan.Query;
import dev.orrery.server.plan.QueryPlan;
import dev.orrery.server.plan.Targets;
import dev.orrery.server.throughput.MeteredRead;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.FieldPath;
import dev.orrery.value.KeyEncoder;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawValue;
import dev.orrery.value.StringOrder;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code distinct}: the different values of a field; an array counts as its elements. */
public final class DistinctCommand implements Explainable {
  private static final Spec SPEC =
      Spec.of("distinct", Access.READ, Trait.SNAPSHOT, Trait.TRANSACTION);
  private static final String DURING = "Executor error during distinct command";

  private final DataServices services;
  private final ViewReader views;

  public DistinctCommand(DataServices services, ViewReader views) {
    this.services = services;
    this.views = views;
  }

  @Override
  public Spec spec() {
    return SPEC;
  }

  /** What a distinct asks for. */
  record Params(
      String collection, String key, RawDocument filter, @Nullable RawDocument collation) {
    static Params parse(CommandReader body) {
      String collection = body.readableCollection(ErrorCode.INVALID_NAMESPACE);
      String key = body.requireString("key");
      RawDocument filter = body.rawDocument("query");
      var params =
          new Params(
              collection,
              key,
              filter == null ? RawDocument.EMPTY : filter,
              body.rawDocument("collation"));
      body.ignore("queryOptions");
      body.reject("encryptionInformation", "collectionUUID");
      body.finish();
      return params;
    }
  }

  @Override
  public CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
    Params params = Params.parse(body);
    CollectionStore collection = services.databases().find(context.database(), params.collection);
    if (collection != null && collection.info().isView()) {
      ViewQueries.requireCollation(collection, params.collation);
      return views
          .aggregate(context, ViewQueries.distinct(params))
          .thenApply(DistinctCommand::ofView);
    }
    QueryScope scope = scope(collection, params);
    Query query = query(collection, params, scope).at(context.view());
    if (collection == null) {
      return CompletableFuture.completedFuture(reply(new BsonArray()));
    }
    Targets targets = Plans.targets(query);
    context.work().admit(targets);
    QueryPlan plan = plan(query, targets, params);
    Supplier<QueryPlan> plans = Replanning.plans(plan, () -> plan(query, params));
    return Replanning.start(
        services.workers(),
        plan.isShort(),
        () -> {
          var values = new Values(FieldPath.parse(params.key), scope.collation().strings());
          return reply(collect(context, query, plans.get(), values));
        });
  }

  private static Query query(
      @Nullable CollectionStore collection, Params params, QueryScope scope) {
    if (params.key.indexOf('\0') >= 0) {
      throw new CommandException(
          ErrorCode.LOCATION_31032, "Key field cannot contain an embedded null byte");
    }
    FieldNames.split(params.key); // only to refuse what is no path
    Query query = Query.of(collection, scope.filter(params.filter), params.filter);
    return query.with(scope.collation()).with(output(params.key, query, scope));
  }

  /** Only the field that counts, so that an index may have all that is asked for. */
  private static Query.Output output(String key, Query query, QueryScope scope) {
    if (key.startsWith("$") || key.contains(".$")) {
      return Query.Output.WHOLE;
    }
    var projection = new BsonDocument(key, new BsonInt32(1));
    if (!key.equals("_id") && !key.startsWith("_id.")) {
      projection.append("_id", new BsonInt32(0));
    }
    var parsed = Projection.parse(projection, query.criteria().filter(), scope.filters());
    return new Query.Output(parsed, RawDocument.of(projection), false, false);
  }

  @Override
  public @Nullable BsonDocument onView(CommandContext context, CommandReader body) {
    Params params = Params.parse(body);
    CollectionStore collection = services.databases().find(context.database(), params.collection);
    return ViewQueries.onView(collection, params.collation, () -> ViewQueries.distinct(params));
  }

  @Override
  public BsonDocument explain(
      CommandContext context, CommandReader body, ExplainVerbosity verbosity) {
    Params params = Params.parse(body);
    CollectionStore collection = services.databases().find(context.database(), params.collection);
    Query query = query(collection, params, scope(collection, params));
    if (collection == null) {
      return ExplainStages.ofNothing(
          new Namespace(context.database(), params.collection), verbosity);
    }
    QueryPlan plan = plan(query, params);
    Execution execution = services.execution(context, true);
    context.work().owe(new MeteredRead(collection, execution, plan.isPointRead()));
    return ExplainStages.priced(plan, collection, verbosity, execution);
  }

  private QueryPlan plan(Query query, Params params) {
    return plan(query, Plans.targets(query), params);
  }

  private QueryPlan plan(Query query, Targets targets, Params params) {
    return query.output().projection() == null
        ? Plans.of(services.planner(), query, targets)
        : Plans.forDistinct(services.planner(), query, targets, params.key);
  }

  private QueryScope scope(@Nullable CollectionStore collection, Params params) {
    var variables = QueryScope.variables(services, null);
    try {
      return QueryScope.of(collection, params.collation, variables);
    } catch (CommandException e) {
      throw e.code() == ErrorCode.BAD_VALUE ? Cursors.during("unable to parse collation", e) : e;
    }
  }

  private BsonArray collect(CommandContext context, Query query, QueryPlan plan, Values values) {
    Execution execution = services.execution(context, true);
    context.work().owe(new MeteredRead(query.collection(), execution, plan.isPointRead()));
    try (DocumentCursor results = plan.open(execution)) {
      for (PlanResult one = results.next(); one != null; one = results.next()) {
        values.addFrom(one.stored().document());
      }
      return values.sorted();
    } catch (CommandException e) {
      throw e.code() == ErrorCode.LOCATION_17217 ? e : Cursors.during(DURING, e);
    }
  }

  private static BsonDocument reply(BsonArray values) {
    return new BsonDocument("values", values);
  }

  private static BsonDocument ofView(BsonDocument reply) {
    BsonArray batch = reply.getDocument("cursor").getArray("firstBatch");
    return reply(batch.isEmpty() ? new BsonArray() : batch.get(0).asDocument().getArray("distinct"))
        .append("ok", new BsonInt32(1)); // not a double, here
  }

  /** The values found so far in their order, the first of equal ones. */
  private static final class Values {
    private static final int BYTES_MAX = 16 << 20;
    private static final int STEP_BYTES = 64 << 10;

    /** A value is there as a key, as a value, and in the reply; and in a table and an array. */
    private static final int HEAP_COPIES = 4;

    private static final int VALUE_BYTES = 160;

    private final FieldPath path;
    private final StringOrder strings;
    private final TreeMap<byte[], BsonValue> found = new TreeMap<>(Arrays::compareUnsigned);
    private final Allowance allowance = Allowance.current();
    private long bytes;
    private long held;

    Values(FieldPath path, StringOrder strings) {
      this.path = path;
      this.strings = strings;
    }

    void addFrom(RawDocument document) {
      path.visit(
          document,
          FieldPath.LeafArrays.KEEP,
          (value, position) -> {
            if (value != null && value.isArray()) {
              addElements(value.asDocument());
            } else if (value != null) {
              add(value);
            }
            return false;
          });
    }

    BsonArray sorted() {
      return new BsonArray(List.copyOf(found.values()));
    }

    private void addElements(RawDocument array) {
      RawElements elements = array.elements();
      while (elements.next()) {
        add(elements.value());
      }
    }

    private void add(RawValue value) {
      byte[] key = new KeyEncoder(strings).append(value, false).toByteArray();
      if (found.containsKey(key)) {
        return;
      }
      bytes += value.length() + 8;
      if (bytes > BYTES_MAX) {
        throw new CommandException(ErrorCode.LOCATION_17217, "distinct too big, 16mb cap");
      }
      found.put(key, value.toBsonValue());
      long heap = bytes * HEAP_COPIES + (long) found.size() * VALUE_BYTES;
      if (heap - held > STEP_BYTES) {
        allowance.hold(heap - held); // until the reply: it is made of them
        held = heap;
      }
    }
  }
}
