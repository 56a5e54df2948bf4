package dev.orrery.server.command;

import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.cosmos.CosmosCommands;
import dev.orrery.server.command.cosmos.CosmosRefusals;
import dev.orrery.server.command.cosmos.CosmosServices;
import dev.orrery.server.command.data.AggregateCommand;
import dev.orrery.server.command.data.DataCommands;
import dev.orrery.server.command.data.DataServices;
import dev.orrery.server.command.diagnostic.ConcernDefaults;
import dev.orrery.server.command.diagnostic.StatisticsCommands;
import dev.orrery.server.command.schema.SchemaCommands;
import dev.orrery.server.command.schema.TtlMonitor;
import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.server.cursor.SpillDirectory;
import dev.orrery.server.operation.Top;
import dev.orrery.server.plan.Planner;
import dev.orrery.server.session.ClusterClock;
import dev.orrery.server.store.QueryHooks;
import dev.orrery.server.store.TestEngines;
import dev.orrery.server.throughput.DatabaseThroughputs;
import dev.orrery.server.throughput.Governor;
import dev.orrery.server.throughput.Metering;
import dev.orrery.server.throughput.Provisioning;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.engine.EngineOptions;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.types.ObjectId;

/** Partitions and throughput over a real engine, with a clock that the test turns. */
public final class CosmosFixture implements AutoCloseable {
  public final StorageEngine engine;
  public final CommandFixture commands = new CommandFixture();
  final Metering metering;
  public final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(0, 3, 1, TimeUnit.SECONDS, new SynchronousQueue<>());
  public Executor spareThreads = threads;
  public final TtlMonitor ttl;
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

  public CosmosFixture(Path directory, Provisioning provisioning) {
    this(directory, provisioning, TestEngines.options());
  }

  public CosmosFixture(Path directory, Provisioning provisioning, EngineOptions options) {
    this(directory, provisioning, options, engine -> engine);
  }

  /**
   * @param around what the commands see of the engine
   */
  public CosmosFixture(
      Path directory,
      Provisioning provisioning,
      EngineOptions options,
      UnaryOperator<StorageEngine> around) {
    engine = around.apply(TestEngines.open(directory, options, new QueryHooks()));
    var throughputs = new DatabaseThroughputs(engine);
    var time = new TurnedClock(commands.nanos);
    var expiry = TtlMonitor.expiry(commands.parameters, time, provisioning.rules().isCosmos());
    var databases = new Databases(engine, provisioning, throughputs).expiringBy(expiry);
    ttl = new TtlMonitor(engine, commands.parameters, expiry);
    var governor = new Governor(throughputs::of, provisioning, commands.nanos::get);
    metering = new Metering(governor, commands.nanos::get);
    commands.metering = metering;
    commands.concerns = ConcernDefaults.of(engine);
    commands.rules = new CosmosRefusals(databases);
    commands.parameters.follow(provisioning.rules());
    var cursorIds = new AtomicLong();
    var data =
        new DataServices(
            databases,
            new Planner(time, expiry, databases.indexFilters()),
            new CursorRegistry(commands.nanos::get, cursorIds::incrementAndGet),
            new ClusterClock(commands.clock),
            commands.clock,
            new Workers(Runnable::run, timer, task -> spareThreads.execute(task), Runnable::run),
            new SpillDirectory(directory),
            ObjectId::new,
            commands.operations);
    var facts = commands.services().facts();
    var aggregate = new AggregateCommand(data, facts, commands.sessions, new Top(name -> true));
    commands
        .with(DataCommands.list(data, aggregate, facts).toArray(Command[]::new))
        .with(aggregate);
    commands.with(
        SchemaCommands.all(databases, data.cursors(), aggregate, () -> new UUID(0, 1))
            .toArray(Command[]::new));
    commands.with(StatisticsCommands.list(databases, commands.nanos::get).toArray(Command[]::new));
    commands.with(
        CosmosCommands.list(new CosmosServices(databases, metering, commands.ledgers))
            .toArray(Command[]::new));
  }

  public static CosmosFixture extended(Path directory) {
    return new CosmosFixture(directory, Provisioning.EXTENDED);
  }

  public static CosmosFixture cosmos(Path directory) {
    return new CosmosFixture(directory, new Provisioning(Provisioning.PARTITION_UNITS, true));
  }

  /** The reply to a command on the database {@code shop}. */
  public BsonDocument run(String json) {
    return commands.run(onShop(json));
  }

  /** The same as text. */
  public String answer(String json) {
    return commands.run(onShop(json)).toJson();
  }

  /** {@code code codeName: errmsg}. */
  public String error(String json) {
    return commands.error(onShop(json));
  }

  /** Runs what must succeed. */
  public BsonDocument must(String json) {
    BsonDocument reply = run(json);
    if (reply.getDouble("ok").getValue() != 1 || reply.containsKey("writeErrors")) {
      throw new AssertionError(json + " answered " + reply);
    }
    return reply;
  }

  public BsonArray partitions(String collection) {
    return must("{listPartitions: '" + collection + "'}").getArray("partitions");
  }

  /** What the last request cost. */
  public double charge() {
    return run("{getLastRequestStatistics: 1}").getDouble("RequestCharge").getValue();
  }

  public void advanceMillis(long millis) {
    commands.nanos.addAndGet(millis * 1_000_000);
  }

  private static String onShop(String json) {
    return json.contains("$db") ? json : json.substring(0, json.length() - 1) + ", $db: 'shop'}";
  }

  @Override
  public void close() {
    timer.shutdownNow();
    threads.shutdown();
    engine.close();
  }
}
