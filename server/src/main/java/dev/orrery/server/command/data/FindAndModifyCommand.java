package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.ParseContext;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterMetadata;
import dev.orrery.language.query.Projection;
import dev.orrery.language.update.UpdateParser;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.ViewErrors;
import dev.orrery.server.command.collection.WriteTarget;
import dev.orrery.server.plan.ExplainVerbosity;
import dev.orrery.server.plan.PlanResult;
import dev.orrery.server.plan.Query;
import dev.orrery.server.plan.QueryPlan;
import dev.orrery.server.plan.Targets;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code findAndModify}: changes or removes one document and answers with it. */
public final class FindAndModifyCommand implements Explainable {
  private static final Spec SPEC = Spec.ofWrite("findAndModify").alias("findandmodify");
  private static final String DURING = "Plan executor error during findAndModify";

  private final DataServices services;

  public FindAndModifyCommand(DataServices services) {
    this.services = services;
  }

  @Override
  public Spec spec() {
    return SPEC;
  }

  /**
   * What a findAndModify asks for.
   *
   * @param statement null to remove the document
   * @param returnsNew the document after the change instead of before
   */
  record Params(
      String collection,
      UpdateStatement.Target target,
      @Nullable UpdateStatement statement,
      Output output,
      boolean isUnchecked,
      @Nullable RawDocument let) {
    /** What of which document is answered. */
    record Output(@Nullable RawDocument fields, boolean isNew) {}

    static Params parse(CommandReader body) {
      String collection = body.collection();
      RawDocument filter = body.rawDocument("query");
      RawDocument sort = body.rawDocument("sort");
      var target =
          new UpdateStatement.Target(
              filter == null ? RawDocument.EMPTY : filter,
              sort == null ? RawDocument.EMPTY : sort,
              Hints.parse(body),
              body.rawDocument("collation"));
      boolean isRemoval = body.safeBool("remove", false);
      var output = new Output(body.rawDocument("fields"), body.safeBool("new", false));
      UpdateStatement statement = statement(body, target, isRemoval, output.isNew);
      var params =
          new Params(
              collection,
              target,
              statement,
              output,
              body.safeBool("bypassDocumentValidation", false),
              body.rawDocument("let"));
      body.ignore("stmtId", "legacyRuntimeConstants", "sampleId", "bypassEmptyTsReplacement");
      body.reject("encryptionInformation");
      body.finish();
      return params;
    }

    private static @Nullable UpdateStatement statement(
        CommandReader body, UpdateStatement.Target target, boolean isRemoval, boolean isNew) {
      RawValue update = body.value("update");
      boolean isUpsert = body.safeBool("upsert", false);
      boolean hasArrayFilters = body.has("arrayFilters");
      if (update != null) {
        UpdateParser.requireForm(update);
      }
      if (isRemoval) {
        require(update == null, "Cannot specify both an update and remove=true");
        require(!isUpsert, "Cannot specify both upsert=true and remove=true ");
        require(
            !isNew,
            "Cannot specify both new=true and remove=true;"
                + " 'remove' always returns the deleted document");
        require(!hasArrayFilters, "Cannot specify arrayFilters and remove=true");
        return null;
      }
      require(update != null, "Either an update or remove=true must be specified");
      var options =
          new UpdateStatement.Options(
              body.documents("arrayFilters").stream().map(RawDocument::toBsonDocument).toList(),
              null,
              false,
              isUpsert,
              false);
      return new UpdateStatement(target, update, options);
    }

    private static void require(boolean isTrue, String otherwise) {
      if (!isTrue) {
        throw new CommandException(ErrorCode.FAILED_TO_PARSE, otherwise);
      }
    }
  }

  @Override
  public CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
    Params params = Params.parse(body);
    context.enterTransaction();
    WriteTarget.requireName(context, params.collection);
    ParseContext variables = QueryScope.variables(services, params.let);
    return RetryableWrites.once(
        context,
        services,
        writer -> {
          var site =
              new Modification.Site(
                  services, writer, context.database(), params.collection, params.isUnchecked);
          writer.keepImage(params.statement != null && params.output.isNew);
          RetryRecord before = writer.begin(0);
          if (before != null) {
            return CompletableFuture.completedFuture(
                repeated(context.statementId(0), params, before, variables));
          }
          return params.statement == null
              ? remove(site, params, variables)
              : update(site, params, variables);
        });
  }

  /** The answer of a change that was made before, from what was kept of it. */
  private BsonDocument repeated(
      int statement, Params params, RetryRecord before, ParseContext variables) {
    BsonDocument kept = before.image();
    RawDocument image = kept == null ? null : RawDocument.of(kept);
    var scope = QueryScope.of(null, params.target.collation(), variables);
    Filter filter = scope.filter(params.target.filter());
    BsonValue value = value(image, projection(params, filter, null, variables), Map.of());
    BsonValue upserted = before.upserted().get(statement);
    BsonDocument reply =
        params.statement == null
            ? removed(1, value)
            : updated(
                new Modification.Result(
                    upserted == null ? 1 : 0, 1, null, null, upserted, Map.of()),
                value);
    return reply.append("retriedStmtId", new BsonInt32(statement));
  }

  private CompletionStage<BsonDocument> update(
      Modification.Site site, Params params, ParseContext variables) {
    var prepared = new Modification(site, params.statement, variables);
    Projection projection = projection(params, prepared.filter(), prepared.collection(), variables);
    var attempts = new ArrayDeque<>(List.of(prepared));
    Supplier<BsonDocument> work =
        during(
            () -> {
              Modification modification =
                  attempts.isEmpty()
                      ? new Modification(site, params.statement, variables)
                      : attempts.remove();
              Modification.Result result = run(modification, site);
              RawDocument shown = params.output.isNew ? result.after() : result.before();
              return updated(result, value(shown, projection, result.metadata()));
            });
    return start(site, prepared.isShort() && isShort(projection), work);
  }

  private CompletionStage<BsonDocument> start(
      Modification.Site site, boolean isShort, Supplier<BsonDocument> work) {
    return site.writer()
        .resumable(services.workers(), () -> Replanning.run(work))
        .start(() -> Replanning.start(services.workers(), isShort, work));
  }

  private Modification.Result run(Modification modification, Modification.Site site) {
    try {
      return modification.run();
    } catch (CommandException e) {
      var namespace = new Namespace(site.database(), site.collection());
      throw services.databases().worded(e, namespace);
    }
  }

  private CompletionStage<BsonDocument> remove(
      Modification.Site site, Params params, ParseContext variables) {
    CollectionStore collection = services.databases().find(site.database(), site.collection());
    if (collection != null) {
      site.writer().requireCollection(collection);
    }
    Query query = removal(collection, params, variables).at(site.writer().view());
    Projection projection = projection(params, query.criteria().filter(), collection, variables);
    if (collection == null) {
      return services.workers().run(true, () -> removed(0, BsonNull.VALUE));
    }
    services.databases().requireTarget(collection, query.criteria().filter());
    Targets targets = Plans.targets(query);
    site.writer().admit(targets);
    QueryPlan plan = Plans.of(services.planner(), query, targets);
    Supplier<QueryPlan> plans = Replanning.plans(plan, () -> Plans.of(services.planner(), query));
    var deletion = new Deletion(services, site.writer(), collection, plans);
    return start(
        site,
        plan.isShort() && isShort(projection),
        during(
            () -> {
              PlanResult gone = deletion.deleteOne();
              return gone == null
                  ? removed(0, BsonNull.VALUE)
                  : removed(1, value(gone.document(), projection, gone.metadata()));
            }));
  }

  /** What is done after the change must end on the thread that made the change. */
  private static boolean isShort(@Nullable Projection projection) {
    return projection == null || projection.isSimple();
  }

  /** The document to remove. */
  private static Query removal(
      @Nullable CollectionStore collection, Params params, ParseContext variables) {
    UpdateStatement.Target target = params.target;
    var scope = QueryScope.of(collection, target.collation(), variables);
    Filter filter = scope.filter(target.filter());
    return Query.of(collection, filter, target.filter())
        .with(scope.collation())
        .with(new Query.Hints(target.hint(), null, null))
        .with(FindQuery.order(target.sort(), target.hint(), scope, FilterMetadata.of(filter)))
        .with(new Query.Window(0, 1));
  }

  @Override
  public BsonDocument explain(
      CommandContext context, CommandReader body, ExplainVerbosity verbosity) {
    Params params = Params.parse(body);
    ParseContext variables = QueryScope.variables(services, params.let);
    var writer = new DocumentWriter(services.databases(), context);
    CollectionStore collection = services.databases().find(context.database(), params.collection);
    ViewErrors.requireCollection(collection);
    if (params.statement != null) {
      var site =
          new Modification.Site(services, writer, context.database(), params.collection, true);
      return new Modification(site, params.statement, variables).explain(verbosity);
    }
    Query query = removal(collection, params, variables);
    if (collection == null) {
      return ExplainStages.ofNothing(
          new Namespace(context.database(), params.collection), verbosity);
    }
    QueryPlan plan = Plans.of(services.planner(), query);
    return ExplainStages.ofDeletion(
        plan.explain(verbosity, writer.execution(services, collection, plan)));
  }

  private static @Nullable Projection projection(
      Params params, Filter filter, @Nullable CollectionStore collection, ParseContext variables) {
    RawDocument fields = params.output.fields;
    if (fields == null || fields.isEmpty()) {
      return null;
    }
    var scope = QueryScope.of(collection, params.target.collation(), variables);
    return Projection.parse(fields.toBsonDocument(), filter, scope.filters());
  }

  private static BsonValue value(
      @Nullable RawDocument document,
      @Nullable Projection projection,
      Map<String, BsonValue> metadata) {
    if (document == null) {
      return BsonNull.VALUE;
    }
    return (projection == null ? document : projection.apply(document, metadata)).asRawBson();
  }

  private static Supplier<BsonDocument> during(Supplier<BsonDocument> work) {
    return () -> {
      try {
        return work.get();
      } catch (CommandException e) {
        throw Cursors.during(DURING, e);
      }
    };
  }

  private static BsonDocument updated(Modification.Result result, BsonValue value) {
    boolean isInserted = result.upsertedId() != null;
    var last =
        new BsonDocument("n", new BsonInt32(result.matched() > 0 || isInserted ? 1 : 0))
            .append("updatedExisting", BsonBoolean.valueOf(result.matched() > 0));
    if (isInserted) {
      last.append("upserted", result.upsertedId());
    }
    return new BsonDocument("lastErrorObject", last).append("value", value);
  }

  private static BsonDocument removed(int count, BsonValue value) {
    return new BsonDocument("lastErrorObject", new BsonDocument("n", new BsonInt32(count)))
        .append("value", value);
  }
}
