package dev.orrery.server.command.data;

import dev.orrery.language.aggregate.Pipeline;
import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.Environment;
import dev.orrery.language.aggregate.stage.KnownCollections;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.query.Collation;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.ReadConcern;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.server.command.StagedCommand;
import dev.orrery.server.cursor.ClientCursor;
import dev.orrery.server.operation.Top;
import dev.orrery.server.plan.DocumentCursor;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.ExplainVerbosity;
import dev.orrery.server.plan.PlanResult;
import dev.orrery.server.session.Sessions;
import dev.orrery.server.stream.ChangeHub;
import dev.orrery.server.stream.ChangeStream;
import dev.orrery.server.throughput.MeteredRead;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code aggregate}: runs a pipeline over a collection, a view, or a database as a whole. */
public final class AggregateCommand implements StagedCommand, ViewReader, PipelineCheck {
  private static final Spec SPEC =
      Spec.of(
          "aggregate",
          Access.READ,
          Trait.SNAPSHOT,
          Trait.STABLE_API,
          Trait.PARSED_FIRST,
          Trait.TRANSACTION,
          Trait.WRITE_CONCERN);
  private static final String NO_COLLECTION = "$cmd.aggregate";
  private static final int VIEWS_MAX = 20;

  private final DataServices services;
  private final Server server;
  private final ChangeHub changes;

  /** What stages tell about the server itself. */
  record Server(ServerFacts facts, Sessions sessions, Top top) {}

  public AggregateCommand(DataServices services, ServerFacts facts, Sessions sessions, Top top) {
    this.services = services;
    this.server = new Server(facts, sessions, top);
    this.changes = new ChangeHub(() -> services.databases().engine().changes(), starter(services));
  }

  private static ChangeHub.Starter starter(DataServices services) {
    return new ChangeHub.Starter() {
      @Override
      public void start(Runnable work) {
        services.workers().runSoon(work);
      }

      @Override
      public void startLater(long millis, Runnable work) {
        services.workers().runLater(millis, work);
      }
    };
  }

  @Override
  public Spec spec() {
    return SPEC;
  }

  @Override
  public CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
    AggregateParams params = AggregateParams.parse(context.database(), body);
    if (context.sessionFields().isTransaction()) {
      Pipeline.requireNames(params.pipeline()); // before it begins: an unknown one does not end it
      context.enterTransaction();
      TransactionStages.require(params);
    }
    AggregateConcerns.require(context, params.pipeline());
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
    return new AggregateExplanation(services.planner(), prepared.execution(), verbosity)
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

  /** What the conditions of a command on change streams are. */
  private void requireFollowable(
      CommandContext context, AggregateEnvironment environment, Namespace namespace) {
    ReadConcern concern = context.readConcern();
    if (concern.isGiven() && !concern.level().equals("majority")) {
      throw new CommandException(
          ErrorCode.INVALID_OPTIONS,
          ("Command aggregate does not support { readConcern: { level: \"%s\", provenance:"
                  + " \"clientSupplied\" } } :: caused by :: Aggregation stage $changeStream"
                  + " cannot run with a readConcern other than 'majority'. Current readConcern: %s")
              .formatted(concern.level(), concern.level()));
    }
    CollectionStore watched = environment.find(namespace);
    if (watched != null && watched.info().isTimeSeries()) {
      throw new CommandException(
          ErrorCode.COMMAND_NOT_SUPPORTED_ON_VIEW,
          "Cannot run aggregation on timeseries with namespace " + namespace);
    }
    if (environment.view(namespace) != null) {
      throw new CommandException(
          ErrorCode.COMMAND_NOT_SUPPORTED_ON_VIEW,
          "Namespace " + namespace + " is a view, not a collection");
    }
  }

  private static boolean isOfChanges(AggregateParams params) {
    return !params.pipeline().isEmpty() && params.pipeline().get(0).containsKey("$changeStream");
  }

  /** The first batch of a stream of changes, which mostly is empty, and its place. */
  private BsonDocument firstEvents(
      CommandContext context, AggregateParams params, Prepared prepared) {
    DocumentStream results = prepared.pipeline.follow(prepared.run);
    ChangeStream stream = prepared.environment.stream();
    var owner = Cursors.owner(context, prepared.namespace, false);
    var cursor =
        new ClientCursor(
                owner,
                new EventResults(results, stream),
                prepared.execution(),
                ClientCursor.End.AWAITS)
            .following(stream);
    boolean isKept = false;
    try {
      long size = params.batchSize() < 0 ? FindParams.FIRST_BATCH_DEFAULT : params.batchSize();
      List<RawDocument> batch = cursor.nextBatch(size, context.operation().replyMemory());
      isKept = !cursor.isExhausted();
      // The token first: what is kept may be read by another request at once.
      BsonDocument reply =
          Cursors.of("firstBatch", batch, cursor, isKept ? 1 : 0, prepared.namespace);
      long id = isKept ? Cursors.keep(context, services.cursors(), cursor) : 0;
      reply.getDocument("cursor").put("id", new BsonInt64(id));
      return reply;
    } catch (CommandException e) {
      throw StreamFailures.during("PlanExecutor error during aggregation", e);
    } finally {
      if (!isKept) {
        cursor.close();
      }
    }
  }

  /** The events of a stream, as the rest of its pipeline leaves them. */
  private record EventResults(DocumentStream results, ChangeStream stream)
      implements DocumentCursor {
    @Override
    public @Nullable PlanResult next() {
      BsonDocument next = results.next();
      return next == null
          ? null
          : new PlanResult(stream.requireToken(Pipeline.encodeResult(next)), null, -1);
    }

    @Override
    public void close() {
      results.close();
    }
  }

  /** A pipeline ready to run, and what it reads. */
  private record Prepared(
      Namespace namespace,
      @Nullable CollectionStore collection,
      Pipeline pipeline,
      PipelineRun run,
      MeteredRead read,
      AggregateEnvironment environment) {
    Execution execution() {
      return environment.execution();
    }
  }

  private BsonDocument aggregate(CommandContext context, AggregateParams params) {
    if (isOfChanges(params) && !params.options().isExplained()) {
      return firstEvents(context, params, prepare(context, params));
    }
    return params.options().isExplained()
        ? ExplainServer.add(
            server.facts, context, explain(context, params, ExplainVerbosity.QUERY_PLANNER))
        : Replanning.run(() -> firstBatch(context, params, prepare(context, params)));
  }

  private Prepared prepare(CommandContext context, AggregateParams params) {
    String name = params.collection() == null ? NO_COLLECTION : params.collection();
    var namespace = new Namespace(context.database(), name);
    AggregateParams.Options options = params.options();
    Execution execution = services.execution(context, options.usesDisk());
    var environment =
        new AggregateEnvironment(services, server, context, execution, options.isUnchecked());
    List<BsonDocument> asked = params.pipeline();
    if (isOfChanges(params)) {
      requireFollowable(context, environment, namespace);
      var cosmos =
          new CosmosStreams(
              services.databases().provisioning().rules(),
              namespace,
              params.collection() != null,
              environment.find(namespace));
      asked = cosmos.translated(asked);
      environment.follow(changes, cosmos.shape());
    }
    KnownCollections.View source =
        isAboutTheNameItself(params.pipeline())
            ? new KnownCollections.View(namespace, List.of())
            : resolve(environment, namespace);
    var stages = new ArrayList<>(source.pipeline());
    stages.addAll(asked);
    var pipelineContext =
        PipelineContext.of(
            source.on(),
            QueryScope.variables(services, options.let()),
            collation(environment, namespace, options.collation()),
            environment);
    CollectionStore collection = environment.find(source.on());
    environment.foreign().besides(collection);
    return new Prepared(
        namespace,
        collection,
        Pipeline.parse(stages, pipelineContext, options.hint()),
        new PipelineRun(
            environment,
            new PipelineRun.Spill(services.area(), options.usesDisk(), execution.memory())),
        new MeteredRead(collection, execution, false).with(environment.foreign().reads()),
        environment);
  }

  private BsonDocument firstBatch(
      CommandContext context, AggregateParams params, Prepared prepared) {
    Environment.RawStream results = prepared.pipeline.run(prepared.run);
    var owner = Cursors.owner(context, prepared.namespace, false);
    var cursor = new ClientCursor(owner, new Results(results), prepared.read.execution());
    cursor.meteredBy(prepared.read);
    if (prepared.collection != null) {
      cursor.over(prepared.collection);
    }
    boolean isKept = false;
    try {
      if (prepared.pipeline.isWriting()) {
        List<RawDocument> last =
            cursor.nextBatch(Long.MAX_VALUE, context.operation().replyMemory());
        context.work().read(prepared.read, last);
        return Cursors.first(last, 0, prepared.namespace);
      }
      long size = params.batchSize() < 0 ? FindParams.FIRST_BATCH_DEFAULT : params.batchSize();
      List<RawDocument> batch = cursor.nextBatch(size, context.operation().replyMemory());
      context.work().read(prepared.read, batch);
      isKept = !cursor.isExhausted();
      long id = isKept ? Cursors.keep(context, services.cursors(), cursor) : 0;
      return Cursors.first(batch, id, prepared.namespace);
    } finally {
      if (!isKept) {
        cursor.close();
      }
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

  /** Only $collStats asks about a view, and not about what it shows. */
  private static boolean isAboutTheNameItself(List<BsonDocument> pipeline) {
    return !pipeline.isEmpty() && pipeline.get(0).containsKey("$collStats");
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
