package dev.orrery.server;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.language.limit.SpillArea;
import dev.orrery.server.auth.Security;
import dev.orrery.server.command.AccessControl;
import dev.orrery.server.command.CommandMetrics;
import dev.orrery.server.command.CommandTable;
import dev.orrery.server.command.Dispatcher;
import dev.orrery.server.command.NetworkMeters;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.server.command.ServerParameters;
import dev.orrery.server.command.ServerSideRetry;
import dev.orrery.server.command.WorkerPool;
import dev.orrery.server.command.Workers;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.cosmos.CosmosCommands;
import dev.orrery.server.command.cosmos.CosmosRefusals;
import dev.orrery.server.command.cosmos.CosmosServices;
import dev.orrery.server.command.data.AggregateCommand;
import dev.orrery.server.command.data.DataCommands;
import dev.orrery.server.command.data.DataServices;
import dev.orrery.server.command.data.ProfileCollections;
import dev.orrery.server.command.data.RetryRecords;
import dev.orrery.server.command.diagnostic.OperationCommands;
import dev.orrery.server.command.diagnostic.RecentLog;
import dev.orrery.server.command.diagnostic.Services;
import dev.orrery.server.command.diagnostic.StandardCommands;
import dev.orrery.server.command.diagnostic.StatisticsCommands;
import dev.orrery.server.command.schema.SchemaCommands;
import dev.orrery.server.command.schema.TtlMonitor;
import dev.orrery.server.command.security.RoleAccess;
import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.server.cursor.SpillDirectory;
import dev.orrery.server.net.CommandHandler;
import dev.orrery.server.net.RequestHandler;
import dev.orrery.server.operation.BackgroundJournal;
import dev.orrery.server.operation.OperationDetails;
import dev.orrery.server.operation.OperationJournal;
import dev.orrery.server.operation.Operations;
import dev.orrery.server.operation.ProfileSettings;
import dev.orrery.server.operation.Top;
import dev.orrery.server.plan.Planner;
import dev.orrery.server.session.ClusterClock;
import dev.orrery.server.session.Session;
import dev.orrery.server.session.Sessions;
import dev.orrery.server.throughput.DatabaseThroughputs;
import dev.orrery.server.throughput.Governor;
import dev.orrery.server.throughput.Metering;
import dev.orrery.server.throughput.Provisioning;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.engine.ChronicleEngine;
import dev.orrery.storage.engine.EngineOptions;
import dev.orrery.storage.log.LogOptions;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.types.ObjectId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The commands of MongoDB over the embedded engine. */
final class EngineBackend implements MongoServer.Backend {
  private static final Logger LOG = LoggerFactory.getLogger(EngineBackend.class);
  private static final long STOP_SECONDS = 10;
  private static final long EXPIRE_SECONDS = 30;
  private static final long ABANDONED_MILLIS = 500;

  private final StorageEngine engine;
  private final WorkerPool workers;
  private final ExecutorService spare = spare(Runtime.getRuntime().availableProcessors() - 1);
  private final ScheduledExecutorService timer;
  private final RequestHandler requests;
  private final RecentLogAppender logAppender;
  private final TtlMonitor ttlMonitor;
  private final Security security;
  private final Operations operations;
  private final BackgroundJournal journal;
  private final Host host;
  private final CursorRegistry cursors;

  private EngineBackend(StorageEngine engine, ServerConfig config, SpillArea area, Host host) {
    this.engine = engine;
    this.host = host;
    this.timer = timer();
    this.workers = workers(timer);
    Clock clock = Clock.systemUTC();
    var log = new RecentLog();
    var facts = facts(config, clock);
    var sessions = new Sessions(clock);
    var clusterClock = new ClusterClock(engine.clock());
    var parameters = new ServerParameters();
    this.security = new Security(new EngineAccounts(engine), config.access().needsLogin());
    this.operations = new Operations(config.limits().memory());
    this.cursors = new CursorRegistry(System::nanoTime, new SecureRandom()::nextLong);
    var services =
        new Services(
            facts,
            sessions,
            clusterClock,
            new CommandMetrics(),
            new NetworkMeters(),
            parameters,
            log,
            host::stop,
            security,
            operations,
            cursors);
    var provisioning =
        new Provisioning(config.limits().partitionThroughput(), config.rules().toCosmosRules());
    parameters.follow(provisioning.rules());
    var throughputs = new DatabaseThroughputs(engine);
    var databases = new Databases(engine, provisioning, throughputs, profiles(config));
    var governor = new Governor(throughputs::of, provisioning, System::nanoTime);
    var metering = new Metering(governor, System::nanoTime);
    var data =
        new DataServices(
            databases,
            new Planner(clock),
            cursors,
            clusterClock,
            clock,
            new Workers(workers, timer, spare),
            area,
            ObjectId::new,
            operations);
    expire(sessions, cursors, new RetryRecords(databases, clock));
    var journals = journals(databases);
    var parts =
        new Dispatcher.Parts(
            commands(services, data, metering, journals),
            sessions,
            clusterClock,
            access(security),
            services.metrics(),
            metering,
            operations);
    this.journal = journal(journals, clock);
    var dispatcher =
        new Dispatcher(parts, workers, System::nanoTime)
            .retryingBy(retry(data, parameters))
            .observedBy(journal)
            .obeying(new CosmosRefusals(databases))
            .failingBy(this::lostClass);
    this.requests = new CommandHandler(dispatcher, services.network(), parts.access());
    this.logAppender = RecentLogAppender.attach(log);
    this.ttlMonitor = new TtlMonitor(engine, parameters, clock);
    ttlMonitor.start();
  }

  private static ServerSideRetry retry(DataServices data, ServerParameters parameters) {
    return new ServerSideRetry(data.workers(), parameters::hasServerSideRetry, System::nanoTime);
  }

  private void lostClass(Throwable failure) {
    host.failed("a class that requests need", failure);
  }

  private static CommandTable commands(
      Services services,
      DataServices data,
      Metering metering,
      OperationCommands.Journals journals) {
    ServerFacts facts = services.facts();
    var aggregate = new AggregateCommand(data, facts, services.sessions());
    var further = new ArrayList<>(DataCommands.list(data, aggregate, facts));
    further.add(aggregate);
    further.addAll(OperationCommands.list(data, facts, journals));
    further.addAll(
        SchemaCommands.all(data.databases(), data.cursors(), aggregate, UUID::randomUUID));
    further.addAll(StatisticsCommands.list(data.databases(), System::nanoTime));
    further.addAll(CosmosCommands.list(new CosmosServices(data.databases(), metering)));
    return StandardCommands.table(services, further);
  }

  private static ProfileSettings profiles(ServerConfig config) {
    return new ProfileSettings(config.diagnostics().slowMillis());
  }

  private static OperationCommands.Journals journals(Databases databases) {
    return new OperationCommands.Journals(
        new Top(databases::exists),
        databases.profiles(),
        new ProfileCollections(databases, ObjectId::new));
  }

  private static BackgroundJournal journal(OperationCommands.Journals journals, Clock clock) {
    var outputs =
        new OperationJournal.Outputs(
            journals.top(), journals.profiles(), RecentLogAppender.SLOW_LOG::info);
    return new BackgroundJournal(
        new OperationJournal(
            journals.settings(),
            new OperationDetails(clock),
            outputs,
            () -> ThreadLocalRandom.current().nextDouble()));
  }

  static EngineBackend open(ServerConfig config, DataDirectory data, Host host) throws IOException {
    return open(config, data, host, engineOptions(config));
  }

  static EngineBackend open(
      ServerConfig config, DataDirectory data, Host host, EngineOptions options)
      throws IOException {
    try {
      var engine = ChronicleEngine.open(data.path(), options, new EngineHooks(host));
      dropTemporary(engine);
      return new EngineBackend(engine, config, new SpillDirectory(data.temporary()), host);
    } catch (StorageException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** What an end in the midst of a $out has left, and whatever else was created to end with us. */
  private static void dropTemporary(StorageEngine engine) {
    for (CollectionStore collection : engine.collections()) {
      if (collection.info().isTemporary()) {
        try {
          engine.drop(collection);
          LOG.info("dropped the temporary collection {}", collection.info().namespace());
        } catch (StorageException e) { // it harms nobody until the next start
          LOG.warn(
              "the temporary collection {} could not be dropped: {}",
              collection.info().namespace(),
              e.getMessage());
        }
      }
    }
  }

  static EngineOptions engineOptions(ServerConfig config) {
    boolean isDurable = !config.storage().isEphemeral();
    return EngineOptions.defaults()
        .with(
            LogOptions.defaults()
                .withFsync(isDurable)
                .withSegmentBytes(config.limits().logSegmentBytes()))
        .with(
            new EngineOptions.Limits(
                config.limits().logicalPartitionBytes(), config.limits().physicalPartitionBytes()));
  }

  private static AccessControl access(Security security) {
    return security.isEnforced() ? new RoleAccess(security) : AccessControl.OPEN;
  }

  private static ServerFacts facts(ServerConfig config, Clock clock) {
    return ServerFacts.starting(Version.current(), config.network().connectionsMax(), clock)
        .withCommandLine(List.of("orrery"), options(config));
  }

  /** In the words of MongoDB's configuration file, as far as it has any. */
  private static BsonDocument options(ServerConfig config) {
    var net =
        new BsonDocument("bindIp", new BsonString(config.network().bind()))
            .append("port", new BsonInt32(config.network().port()));
    var storage = new BsonDocument("dbPath", new BsonString(config.storage().data().toString()));
    return new BsonDocument("net", net).append("storage", storage);
  }

  private static WorkerPool workers(ScheduledExecutorService timer) {
    return new WorkerPool(
        WorkerPool.Limits.DEFAULT, task -> Lane.WORKER.thread("worker", task), timer);
  }

  /**
   * Threads for parts of commands, as many as there are processors beside the one on which the
   * command itself runs. Nothing waits for one: what finds none free does without.
   */
  private static ExecutorService spare(int count) {
    var pool =
        new ThreadPoolExecutor(
            0,
            Math.max(1, count),
            1,
            TimeUnit.MINUTES,
            new SynchronousQueue<>(),
            task -> Lane.WORKER.thread("spare", task));
    if (count < 1) {
      pool.shutdown(); // refuses everything
    }
    return pool;
  }

  private static ScheduledExecutorService timer() {
    return Executors.newSingleThreadScheduledExecutor(
        task -> {
          var thread = Lane.BACKGROUND.thread("timer", task);
          thread.setDaemon(true);
          return thread;
        });
  }

  /** Ends what nobody uses any more, now and then. */
  private void expire(Sessions sessions, CursorRegistry cursors, RetryRecords records) {
    records.load(sessions);
    sessions.onEnd(
        session -> {
          cursors.killSession(session.id());
          if (session.hasRecords()) {
            forget(records, session);
          }
        });
    timer.scheduleWithFixedDelay(
        () -> {
          try {
            workers.execute(() -> expireAll(sessions, cursors));
          } catch (RejectedExecutionException busy) {
            LOG.debug("nothing is expired this time: all workers are busy");
          }
        },
        EXPIRE_SECONDS,
        EXPIRE_SECONDS,
        TimeUnit.SECONDS);
    timer.scheduleWithFixedDelay(
        this::endAbandoned, ABANDONED_MILLIS, ABANDONED_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Ends the cursors of clients that have gone: they may have large files on disk. */
  private void endAbandoned() {
    if (!operations.takeLeft() || cursors.count() == 0) {
      return;
    }
    try {
      workers.execute(
          () -> {
            if (!cursors.endAbandoned(operations.connected())) {
              operations.lookAgain();
            }
          });
    } catch (RejectedExecutionException busy) {
      operations.lookAgain();
    }
  }

  private static void expireAll(Sessions sessions, CursorRegistry cursors) {
    cursors.expire();
    sessions.expire();
  }

  private void forget(RetryRecords records, Session session) {
    try {
      workers.execute(() -> records.forget(session.id()));
    } catch (RejectedExecutionException busy) {
      // a later start removes what is old
    }
  }

  @Override
  public RequestHandler requests() {
    return requests;
  }

  @Override
  public void failed(String part, Throwable cause) {
    host.failed(part, cause);
  }

  @Override
  public MemoryBudget memory() {
    return operations.memory();
  }

  @Override
  public void close() throws IOException {
    ttlMonitor.close();
    operations.kill(each -> true, ErrorCode.INTERRUPTED_AT_SHUTDOWN);
    try {
      workers.stop(STOP_SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    timer.shutdownNow();
    journal.close();
    spare.shutdown(); // what ran there ended with its command
    cursors.killAll();
    security.close();
    logAppender.detach();
    try {
      engine.close();
    } catch (StorageException e) {
      throw new IOException("the data could not be saved: " + e.getMessage(), e);
    }
  }
}
