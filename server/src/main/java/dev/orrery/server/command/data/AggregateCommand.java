package dev.orrery.server.command.data;

import dev.orrery.language.aggregate.Pipeline;
import dev.orrery.language.aggregate.stage.Environment;
import dev.orrery.language.aggregate.stage.KnownCollections;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.query.Collation;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.server.cursor.ClientCursor;
import dev.orrery.server.plan.DocumentCursor;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.ExplainVerbosity;
import dev.orrery.server.plan.PlanResult;
import dev.orrery.server.session.Sessions;
import dev.orrery.server.throughput.MeteredRead;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code aggregate}: runs a pipeline over a collection, a view, or a database as a whole. */
public final class AggregateCommand implements Command, ViewReader, PipelineCheck {
  private static final Spec SPEC =
      Spec.of("aggregate", Access.READ, Trait.STABLE_API, Trait.TRANSACTION);
  private static final String NO_COLLECTION = "$cmd.aggregate";
  private static final int VIEWS_MAX = 20;

  private final DataServices services;
  private final Server server;

  /** What stages tell about the server itself. */
  record Server(ServerFacts facts, Sessions sessions) {}

  public AggregateCommand(DataServices services, ServerFacts facts, Sessions sessions) {
    this.services = services;
    this.server = new Server(facts, sessions);
  }

  @Override
  public Spec spec() {
    return SPEC;
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    return start(context, body).toCompletableFuture().join();
  }

  @Override
  public CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
    AggregateParams params = AggregateParams.parse(context.database(), body);
    return services.workers().run(() -> aggregate(context, params));
  }

  @Override
  public CompletionStage<BsonDocument> aggregate(CommandContext context, BsonDocument aggregate) {
    return start(context, CommandReader.of("aggregate", RawDocument.of(aggregate)));
  }

  @Override
  public CompletionStage<BsonDocument> explain(
      CommandContext context, BsonDocument aggregate, ExplainVerbosity verbosity) {
    var body = CommandReader.of("aggregate", RawDocument.of(aggregate));
    AggregateParams params = AggregateParams.parse(context.database(), body);
    return services.workers().run(() -> explain(context, params, verbosity));
  }

  private BsonDocument explain(
      CommandContext context, AggregateParams params, ExplainVerbosity verbosity) {
    Prepared prepared = prepare(context, params);
    return new AggregateExplanation(services.planner(), prepared.execution, verbosity)
        .explain(prepared.namespace, prepared.pipeline, prepared.run, prepared.collection)
        .append("command", AggregateExplanation.command(prepared.namespace, params.pipeline()));
  }

  @Override
  public void require(CommandContext context, Namespace on, List<BsonDocument> stages) {
    var execution = new Execution(services.area(), false);
    var environment = new AggregateEnvironment(services, server, context, execution, false);
    var pipelineContext =
        PipelineContext.of(on, QueryScope.variables(services, null), Collation.SIMPLE, environment);
    Pipeline.parse(stages, pipelineContext, null);
  }

  /** A pipeline ready to run, and what it reads. */
  private record Prepared(
      Namespace namespace,
      @Nullable CollectionStore collection,
      Pipeline pipeline,
      PipelineRun run,
      Execution execution) {}

  private BsonDocument aggregate(CommandContext context, AggregateParams params) {
    return params.options().isExplained()
        ? explain(context, params, ExplainVerbosity.QUERY_PLANNER)
        : Replanning.run(() -> firstBatch(context, params, prepare(context, params)));
  }

  private Prepared prepare(CommandContext context, AggregateParams params) {
    String name = params.collection() == null ? NO_COLLECTION : params.collection();
    var namespace = new Namespace(context.database(), name);
    AggregateParams.Options options = params.options();
    Execution execution = services.execution(context, options.usesDisk());
    var environment =
        new AggregateEnvironment(services, server, context, execution, options.isUnchecked());
    KnownCollections.View source = resolve(environment, namespace);
    var stages = new ArrayList<>(source.pipeline());
    stages.addAll(params.pipeline());
    var pipelineContext =
        PipelineContext.of(
            source.on(),
            QueryScope.variables(services, options.let()),
            collation(environment, namespace, options.collation()),
            environment);
    return new Prepared(
        namespace,
        environment.find(source.on()),
        Pipeline.parse(stages, pipelineContext, options.hint()),
        new PipelineRun(
            environment,
            new PipelineRun.Spill(services.area(), options.usesDisk(), execution.memory())),
        execution);
  }

  private BsonDocument firstBatch(
      CommandContext context, AggregateParams params, Prepared prepared) {
    Environment.RawStream results = prepared.pipeline.run(prepared.run);
    var owner = Cursors.owner(context, prepared.namespace, false);
    var cursor = new ClientCursor(owner, new Results(results), prepared.execution);
    if (prepared.collection != null) {
      cursor.meteredBy(new MeteredRead(prepared.collection, prepared.execution, false));
      cursor.over(prepared.collection);
    }
    boolean isKept = false;
    try {
      if (prepared.pipeline.isWriting()) {
        List<RawDocument> last =
            cursor.nextBatch(Long.MAX_VALUE, context.operation().replyMemory());
        pay(context, cursor, last);
        return Cursors.first(last, 0, prepared.namespace);
      }
      long size = params.batchSize() < 0 ? FindParams.FIRST_BATCH_DEFAULT : params.batchSize();
      List<RawDocument> batch = cursor.nextBatch(size, context.operation().replyMemory());
      pay(context, cursor, batch);
      isKept = !cursor.isExhausted();
      long id = isKept ? Cursors.keep(context, services.cursors(), cursor) : 0;
      return Cursors.first(batch, id, prepared.namespace);
    } finally {
      if (!isKept) {
        cursor.close();
      }
    }
  }

  /** Pays for what was read; what reads no collection costs nothing. */
  private static void pay(CommandContext context, ClientCursor cursor, List<RawDocument> batch) {
    if (cursor.metered() != null) {
      context.work().read(cursor.metered(), batch);
    }
  }

  /** The results of a pipeline as a cursor holds them. */
  private record Results(Environment.RawStream stream) implements DocumentCursor {
    @Override
    public @Nullable PlanResult next() {
      RawDocument next = stream.next();
      return next == null ? null : new PlanResult(next, null, -1);
    }

    @Override
    public void close() {
      stream.close();
    }
  }

  private KnownCollections.View resolve(AggregateEnvironment environment, Namespace namespace) {
    var stages = new ArrayList<BsonDocument>();
    Namespace current = namespace;
    for (int depth = 0; depth < VIEWS_MAX; depth++) {
      KnownCollections.View view = environment.view(current);
      if (view == null) {
        break;
      }
      stages.addAll(0, view.pipeline());
      current = view.on();
    }
    return new KnownCollections.View(current, stages);
  }

  /** The one the user asks for, else that of the collection or view. */
  private Collation collation(
      AggregateEnvironment environment, Namespace namespace, @Nullable RawDocument asked) {
    if (asked != null) {
      return Collation.parse(asked.toBsonDocument());
    }
    CollectionStore named = environment.find(namespace);
    BsonValue own = named == null ? null : named.info().options().get("collation");
    return own == null ? Collation.SIMPLE : Collation.parse(own.asDocument());
  }
}
