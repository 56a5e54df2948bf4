package dev.orrery.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.data.AggregateCommand;
import dev.orrery.server.command.data.DataCommands;
import dev.orrery.server.command.data.DataServices;
import dev.orrery.server.command.diagnostic.StatisticsCommands;
import dev.orrery.server.command.schema.SchemaCommands;
import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.server.cursor.SpillDirectory;
import dev.orrery.server.operation.Top;
import dev.orrery.server.plan.Planner;
import dev.orrery.server.session.ClusterClock;
import dev.orrery.server.store.QueryHooks;
import dev.orrery.server.store.TestEngines;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

/** The commands on documents over an engine of their own; long work runs on the calling thread. */
public final class DataFixture implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 10;

  public final CommandFixture commands;
  public final StorageEngine engine;
  public final CursorRegistry cursors;
  public final Planner planner = new Planner();

  /** How long the clock says that work takes which is handed to another thread. */
  public long workNanos;

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

  public DataFixture(Path directory) {
    this(directory, MemoryBudget.ofHeap());
  }

  public DataFixture(Path directory, MemoryBudget memory) {
    this(
        directory,
        memory,
        TestEngines.open(directory.resolve("data"), TestEngines.options(), new QueryHooks()));
  }

  public DataFixture(Path directory, MemoryBudget memory, StorageEngine engine) {
    commands = new CommandFixture(memory);
    this.engine = engine;
    cursors = commands.cursors;
    var services =
        new DataServices(
            new Databases(engine),
            planner,
            cursors,
            new ClusterClock(commands.clock),
            commands.clock,
            new Workers(this::work, timer),
            new SpillDirectory(directory),
            ObjectId::new,
            commands.operations);
    var aggregate =
        new AggregateCommand(
            services, commands.services().facts(), commands.sessions, new Top(name -> true));
    DataCommands.list(services, aggregate, commands.services().facts()).forEach(commands::with);
    commands.with(aggregate);
    SchemaCommands.all(services.databases(), cursors, aggregate, () -> new UUID(0, 1))
        .forEach(commands::with);
    StatisticsCommands.list(services.databases(), () -> 0).forEach(commands::with);
  }

  private void work(Runnable task) {
    commands.nanos.addAndGet(workNanos);
    task.run();
  }

  /** Creates a collection with these options and these indexes beside that on _id. */
  public void create(
      String name, String options, @Nullable String partitionKey, String... indexes) {
    BsonDocument parsed = BsonDocument.parse(options);
    engine.create(
        new Namespace("test", name),
        new CollectionInfo.Creation(
            parsed, partitionKey, List.of(IndexSpec.idIndex()), 1, new BsonDocument()));
    for (String index : indexes) {
      engine.createIndexes(
          engine.find(new Namespace("test", name)),
          List.of(IndexSpec.of(BsonDocument.parse(index))));
    }
  }

  public BsonDocument run(String json) {
    return commands.run(onTest(json));
  }

  /** The reply as JSON, with types and order of fields. */
  public String answer(String json) {
    return commands.answer(onTest(json));
  }

  /** {@code code codeName: errmsg}. */
  public String error(String json) {
    return commands.error(onTest(json));
  }

  /** All documents of a collection in natural order, as JSON. */
  public String documents(String collection) {
    return run("{find: '" + collection + "', batchSize: 10000}")
        .getDocument("cursor")
        .getArray("firstBatch")
        .getValues()
        .stream()
        .map(document -> document.asDocument().toJson())
        .toList()
        .toString();
  }

  private static String onTest(String json) {
    return json.contains("$db") ? json : json.substring(0, json.length() - 1) + ", $db: 'test'}";
  }

  /** What a reply held is given back after it was sent, maybe by another thread. */
  private void requireNothingHeld() {
    MemoryBudget memory = commands.operations.memory();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (memory.usedBytes() > 0 && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(memory.usedBytes()).as("memory that was not given back").isZero();
  }

  @Override
  public void close() {
    timer.shutdownNow();
    cursors.killAll();
    engine.close();
    requireNothingHeld();
  }
}
