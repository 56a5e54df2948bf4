package dev.orrery.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.server.limit.MemoryBudget;
import dev.orrery.server.plan.Planner;
import dev.orrery.server.query.QueryHooks;
import dev.orrery.server.session.ClusterClock;
import dev.orrery.storage.Namespace;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.chronicle.ChronicleEngine;
import dev.orrery.storage.chronicle.EngineOptions;
import dev.orrery.storage.index.IndexSpec;
import dev.orrery.storage.log.LogOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.bson.BsonDocument;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

/** The commands on documents over an engine of their own; long work runs on the calling thread. */
final class DataFixture implements AutoCloseable {
  final CommandFixture commands;
  final ChronicleEngine engine;
  final CursorRegistry cursors;
  final Planner planner = new Planner();

  /** How long the clock says that work takes which is handed to another thread. */
  long workNanos;

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

  DataFixture(Path directory) {
    this(directory, MemoryBudget.ofHeap());
  }

  DataFixture(Path directory, MemoryBudget memory) {
    commands = new CommandFixture(memory);
    engine =
        ChronicleEngine.open(
            directory.resolve("data"),
            EngineOptions.defaults().with(LogOptions.defaults().withFsync(false)),
            new QueryHooks());
    cursors = commands.cursors;
    var services =
        new DataServices(
            new Databases(engine),
            planner,
            cursors,
            new ClusterClock(commands.clock),
            commands.clock,
            new Workers(this::work, timer),
            directory,
            ObjectId::new,
            commands.operations);
    var aggregate = new AggregateCommand(services, commands.services().facts(), commands.sessions);
    DataCommands.list(services, aggregate, commands.services().facts()).forEach(commands::with);
    commands.with(aggregate);
    DdlCommands.all(services.databases(), cursors, aggregate, () -> new UUID(0, 1), () -> 0)
        .forEach(commands::with);
  }

  private void work(Runnable task) {
    commands.nanos.addAndGet(workNanos);
    task.run();
  }

  /** Creates a collection with these options and these indexes beside that on _id. */
  void create(String name, String options, @Nullable String partitionKey, String... indexes) {
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

  BsonDocument run(String json) {
    return commands.run(onTest(json));
  }

  /** The reply as JSON, with types and order of fields. */
  String answer(String json) {
    return commands.answer(onTest(json));
  }

  /** {@code code codeName: errmsg}. */
  String error(String json) {
    return commands.error(onTest(json));
  }

  /** All documents of a collection in natural order, as JSON. */
  String documents(String collection) {
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

  @Override
  public void close() {
    timer.shutdownNow();
    cursors.killAll();
    engine.close();
    assertThat(commands.operations.memory().usedBytes())
        .as("memory that was not given back")
        .isZero();
  }
}
