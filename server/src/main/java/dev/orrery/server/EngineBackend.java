package dev.orrery.server;

import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.language.limit.SpillArea;
import dev.orrery.server.auth.Security;
import dev.orrery.server.command.AccessControl;
import dev.orrery.server.command.CommandMetrics;
import dev.orrery.server.command.CommandTable;
import dev.orrery.server.command.Dispatcher;
import dev.orrery.server.command.Faults;
import dev.orrery.server.command.NetworkMeters;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.server.command.ServerParameters;
import dev.orrery.server.command.ServerSideRetry;
import dev.orrery.server.command.TransactionCalls;
import dev.orrery.server.command.WorkerPool;
import dev.orrery.server.command.Workers;
import dev.orrery.server.command.advice.AdviceCommands;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.cosmos.CosmosCommands;
import dev.orrery.server.command.cosmos.CosmosRefusals;
import dev.orrery.server.command.cosmos.CosmosServices;
import dev.orrery.server.command.cosmos.ServerMishaps;
import dev.orrery.server.command.data.AggregateCommand;
import dev.orrery.server.command.data.DataCommands;
import dev.orrery.server.command.data.DataServices;
import dev.orrery.server.command.data.ProfileCollections;
import dev.orrery.server.command.data.RetryRecords;
import dev.orrery.server.command.diagnostic.ConcernDefaults;
import dev.orrery.server.command.diagnostic.OperationCommands;
import dev.orrery.server.command.diagnostic.RecentLog;
import dev.orrery.server.command.diagnostic.Services;
import dev.orrery.server.command.diagnostic.StandardCommands;
import dev.orrery.server.command.diagnostic.StatisticsCommands;
import dev.orrery.server.command.schema.SchemaCommands;
import dev.orrery.server.command.schema.TtlMonitor;
import dev.orrery.server.command.security.RoleAccess;
import dev.orrery.server.console.Pages;
import dev.orrery.server.console.metrics.StorageCounters;
import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.server.cursor.SpillDirectory;
import dev.orrery.server.ledger.GapWatcher;
import dev.orrery.server.ledger.Ledgers;
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
import dev.orrery.server.session.Snapshots;
import dev.orrery.server.session.Transactions;
import dev.orrery.server.throughput.CosmosRule;
import dev.orrery.server.throughput.CosmosRules;
import dev.orrery.server.throughput.DatabaseThroughputs;
import dev.orrery.server.throughput.Governor;
import dev.orrery.server.throughput.Metering;
import dev.orrery.server.throughput.Provisioning;
import dev.orrery.server.workload.WorkloadRecorder;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageHooks;
import dev.orrery.storage.StorageObserver;
import dev.orrery.storage.engine.ChronicleEngine;
import dev.orrery.storage.engine.EngineOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The commands of MongoDB over the embedded engine. */
final class EngineBackend implements MongoServer.Backend {
  private static final Logger LOG = LoggerFactory.getLogger(EngineBackend.class);

  /** Where slow operations are logged: each as a line of JSON, without a prefix. */
  static final Logger SLOW_LOG = LoggerFactory.getLogger("dev.orrery.slow");

  private static final long STOP_SECONDS = 10;
  private static final long EXPIRE_SECONDS = 30;
  private static final long ABANDONED_MILLIS = 500;
  private static final long COSMOS_LIFETIME_SECONDS = 5;

  private final StorageEngine engine;
  private final WorkerPool workers;
  private final ExecutorService spare =
      ServerThreads.spare(Runtime.getRuntime().availableProcessors() - 1);
  private final ExecutorService ends = ServerThreads.ends();
  private final ScheduledExecutorService timer = ServerThreads.timer();
  private final Transactions transactions;
  private final Snapshots snapshots;
  private final RequestHandler requests;
  private final Runnable logEnd;
  private final TtlMonitor ttlMonitor;
  private final Security security;
  private final Operations operations;
  private final BackgroundJournal journal;
  private final WatchedHost host;
  private final CursorRegistry cursors;
  private final Ledgers ledgers = new Ledgers();
  private final WorkloadRecorder workloads;
  private final @Nullable EngineConsole console;
  private volatile int mongoPort;

  /**
   * What is opened before the rest.
   *
   * @param counters null when there is no console to show them
   */
  private record Opened(
      StorageEngine engine,
      @Nullable StorageCounters counters,
      DataDirectory data,
      EngineHooks hooks) {}

  private EngineBackend(Opened opened, ServerConfig config, SpillArea area, WatchedHost host) {
    this.engine = opened.engine;
    this.host = host;
    this.workers = ServerThreads.workers(timer);
    Clock clock = Clock.systemUTC();
    this.workloads =
        new WorkloadRecorder(opened.data.path().resolve("workloads"), clock, System::nanoTime);
    var log = new RecentLog();
    var sessions = new Sessions(clock);
    var clusterClock = new ClusterClock(engine.clock());
    var parameters = new ServerParameters();
    parameters.onChange(new LogVerbosity());
    this.security = ServerOptions.security(config, engine);
    this.operations = new Operations(config.limits().memory());
    this.cursors = new CursorRegistry(System::nanoTime, new SecureRandom()::nextLong);
    Services services =
        services(ServerOptions.facts(config, clock), sessions, clusterClock, parameters, log);
    var provisioning = provisioning(config, parameters);
    var throughputs = new DatabaseThroughputs(engine);
    var databases = new Databases(engine, provisioning, throughputs, profiles(config));
    databases.expiringBy(TtlMonitor.expiry(parameters, clock, provisioning.rules().isCosmos()));
    var governor = new Governor(throughputs::of, provisioning, System::nanoTime);
    var metering = new Metering(governor, System::nanoTime);
    var data =
        new DataServices(
            databases,
            new Planner(clock, databases.expiry(), databases.indexFilters()),
            cursors,
            clusterClock,
            clock,
            new Workers(workers, timer, spare, ends),
            area,
            ObjectId::new,
            operations);
    this.transactions = transactions(() -> lifetimeSeconds(parameters, provisioning));
    operations.showing(transactions);
    expire(sessions.with(transactions), cursors, new RetryRecords(databases, clock));
    var journals = journals(databases);
    this.snapshots =
        new Snapshots(time -> time == 0 ? engine.pin() : engine.pin(time), System::nanoTime);
    this.ttlMonitor = new TtlMonitor(engine, parameters, databases.expiry());
    boolean hasFaults = config.rules().hasTestCommands();
    Faults faults = hasFaults ? faults(parameters, metering, data, opened.hooks) : null;
    var parts =
        new Dispatcher.Parts(
            commands(services, data, metering, journals, faults),
            sessions,
            clusterClock,
            access(security),
            services.metrics(),
            metering,
            operations);
    OperationJournal written = journal(journals, clock);
    this.journal = new BackgroundJournal(written);
    var dispatcher =
        new Dispatcher(parts, workers, System::nanoTime)
            .retryingBy(retry(data, parameters))
            .transactingBy(new TransactionCalls(transactions, snapshots))
            .meeting(faults)
            .observedBy(ledgers.before(journal))
            .recordedBy(workloads)
            .obeying(new CosmosRefusals(databases))
            .failingBy(this::lostClass);
    this.requests = new CommandHandler(dispatcher, services.network(), parts.access());
    this.logEnd = host.followLog(log);
    ttlMonitor.start();
    var looked =
        new EngineConsole.Parts(databases, services, parts, dispatcher, written, transactions);
    this.console = console(config, opened, looked);
  }

  private @Nullable EngineConsole console(
      ServerConfig config, Opened opened, EngineConsole.Parts parts) {
    if (opened.counters == null) {
      return null;
    }
    DataDirectory data = opened.data;
    var place =
        new EngineConsole.Place(
            data.isEphemeral() ? null : data.path().resolve("console"), () -> mongoPort);
    return new EngineConsole(config, parts, opened.counters, place);
  }

  private Services services(
      ServerFacts facts,
      Sessions sessions,
      ClusterClock clusterClock,
      ServerParameters parameters,
      RecentLog log) {
    return new Services(
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
        cursors,
        ConcernDefaults.of(engine));
  }

  private Transactions transactions(LongSupplier lifetimeSeconds) {
    return new Transactions(
        engine::begin, System::nanoTime, lifetimeSeconds, workers, operations.memory());
  }

  /** Cosmos DB gives a transaction five seconds. */
  private static long lifetimeSeconds(ServerParameters parameters, Provisioning provisioning) {
    long seconds = parameters.transactionLifetimeSeconds();
    return provisioning.isInForce(CosmosRule.TRANSACTIONS)
        ? Math.min(seconds, COSMOS_LIFETIME_SECONDS)
        : seconds;
  }

  private Provisioning provisioning(ServerConfig config, ServerParameters parameters) {
    CosmosRules rules = config.rules().toCosmosRules();
    parameters.follow(rules);
    rules.watchedBy(new GapWatcher(ledgers));
    return new Provisioning(config.limits().partitionThroughput(), rules);
  }

  private static ServerSideRetry retry(DataServices data, ServerParameters parameters) {
    return new ServerSideRetry(data.workers(), parameters::hasServerSideRetry, System::nanoTime);
  }

  private void lostClass(Throwable failure) {
    host.failed("a class that requests need", failure);
  }

  private CommandTable commands(
      Services services,
      DataServices data,
      Metering metering,
      OperationCommands.Journals journals,
      @Nullable Faults faults) {
    ServerFacts facts = services.facts();
    var aggregate = new AggregateCommand(data, facts, services.sessions(), journals.top());
    var further = new ArrayList<>(DataCommands.list(data, aggregate, facts));
    further.add(aggregate);
    further.addAll(OperationCommands.list(data, facts, journals));
    further.addAll(
        SchemaCommands.all(data.databases(), data.cursors(), aggregate, UUID::randomUUID));
    further.addAll(StatisticsCommands.list(data.databases(), System::nanoTime));
    further.addAll(CosmosCommands.list(new CosmosServices(data.databases(), metering, ledgers)));
    further.addAll(AdviceCommands.list(data.databases(), workloads));
    if (faults != null) {
      further.addAll(CosmosCommands.ofFaults(faults));
    }
    return StandardCommands.table(services, further);
  }

  private Faults faults(
      ServerParameters parameters, Metering metering, DataServices data, EngineHooks hooks) {
    var mishaps = new ServerMishaps(data.databases(), cursors, hooks::fillDisk, ttlMonitor::jump);
    return new Faults(data.workers(), ledgers, operations.topology(), mishaps)
        .allowedBy(parameters, metering);
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

  private static OperationJournal journal(OperationCommands.Journals journals, Clock clock) {
    var outputs = new OperationJournal.Outputs(journals.top(), journals.profiles(), SLOW_LOG::info);
    return new OperationJournal(
        journals.settings(),
        new OperationDetails(clock),
        outputs,
        () -> ThreadLocalRandom.current().nextDouble());
  }

  /** Opens an engine over a directory. */
  @FunctionalInterface
  interface EngineOpener {
    StorageEngine open(Path directory, EngineOptions options, StorageHooks hooks);
  }

  static EngineBackend open(ServerConfig config, DataDirectory data, Host host) throws IOException {
    return open(config, data, host, ChronicleEngine::open);
  }

  static EngineBackend open(ServerConfig config, DataDirectory data, Host host, EngineOpener opener)
      throws IOException {
    try {
      boolean hasConsole = config.diagnostics().consolePort().isPresent();
      StorageCounters counters = hasConsole ? new StorageCounters() : null;
      StorageObserver observer = hasConsole ? counters : StorageObserver.NONE;
      var watched = new WatchedHost(host);
      var hooks = new EngineHooks(watched, observer);
      var engine =
          StoreAddress.opener(config, opener)
              .open(data.path(), ServerOptions.engine(config), hooks);
      dropTemporary(engine);
      return new EngineBackend(
          new Opened(engine, counters, data, hooks),
          config,
          new SpillDirectory(data.temporary()),
          watched);
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

  private static AccessControl access(Security security) {
    return security.isEnforced() ? new RoleAccess(security) : AccessControl.OPEN;
  }

  /** Ends what nobody uses any more, now and then. */
  private void expire(Sessions sessions, CursorRegistry cursors, RetryRecords records) {
    records.load(sessions);
    sessions.onEnd(session -> cursors.killSession(session.id()));
    sessions.onExpiry(session -> forget(records, session));
    timer.scheduleWithFixedDelay(
        () -> workersTry(() -> expireAll(sessions, cursors)),
        EXPIRE_SECONDS,
        EXPIRE_SECONDS,
        TimeUnit.SECONDS);
    timer.scheduleWithFixedDelay(
        this::endAbandoned, ABANDONED_MILLIS, ABANDONED_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Ends the cursors of clients that have gone: they may have large files on disk. */
  private void endAbandoned() {
    if (!transactions.open().isEmpty()) {
      workersTry(transactions::expire);
    }
    boolean isNothing = cursors.count() == 0 && transactions.open().isEmpty();
    if (!operations.takeLeft() || isNothing) {
      return;
    }
    try {
      workers.execute(
          () -> {
            boolean isDone = cursors.endAbandoned(operations.connected());
            if (!transactions.endAbandoned(operations.connected()) || !isDone) {
              operations.lookAgain();
            }
          });
    } catch (RejectedExecutionException busy) {
      operations.lookAgain();
    }
  }

  private void workersTry(Runnable work) {
    try {
      workers.execute(work);
    } catch (RejectedExecutionException busy) {
      LOG.debug("it is tried again soon: all workers are busy");
    }
  }

  private void expireAll(Sessions sessions, CursorRegistry cursors) {
    cursors.expire();
    sessions.expire();
    snapshots.expire();
  }

  private void forget(RetryRecords records, Session session) {
    if (!session.hasRecords()) {
      return;
    }
    try {
      workers.execute(() -> records.forget(session.id()));
    } catch (RejectedExecutionException busy) {
      // a later start removes what is old
    }
  }

  /** Where what requests cost can be counted. */
  Ledgers ledgers() {
    return ledgers;
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
  public void onFailure(Consumer<String> listener) {
    host.tell(listener);
  }

  @Override
  public List<String> hindrances() {
    return engine.figures().isFull()
        ? List.of("the disk is full: inserts and updates are refused")
        : List.of();
  }

  @Override
  public @Nullable Pages console(int port) {
    mongoPort = port;
    return console == null ? null : console.pages();
  }

  @Override
  public MemoryBudget memory() {
    return operations.memory();
  }

  @Override
  public void close() throws IOException {
    ttlMonitor.close();
    if (console != null) {
      console.close();
    }
    operations.kill(each -> true, ErrorCode.INTERRUPTED_AT_SHUTDOWN);
    try {
      workers.stop(STOP_SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    timer.shutdownNow();
    transactions.abortAll();
    ends.shutdown();
    journal.close();
    spare.shutdown(); // what ran there ended with its command
    cursors.killAll();
    security.close();
    logEnd.run();
    workloads.close();
    try {
      engine.close();
    } catch (StorageException e) {
      throw new IOException("the data could not be saved: " + e.getMessage(), e);
    }
  }
}
