package dev.orrery.benchmarks.metering;

import dev.orrery.server.command.AccessControl;
import dev.orrery.server.command.ClientConnection;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandMetrics;
import dev.orrery.server.command.CommandTable;
import dev.orrery.server.command.Dispatcher;
import dev.orrery.server.command.NetworkMeters;
import dev.orrery.server.command.Request;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.server.command.Workers;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.cosmos.CosmosCommands;
import dev.orrery.server.command.cosmos.CosmosServices;
import dev.orrery.server.command.data.AggregateCommand;
import dev.orrery.server.command.data.DataCommands;
import dev.orrery.server.command.data.DataServices;
import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.server.cursor.SpillDirectory;
import dev.orrery.server.ledger.Ledgers;
import dev.orrery.server.net.CommandHandler;
import dev.orrery.server.net.RequestHandler;
import dev.orrery.server.operation.Operations;
import dev.orrery.server.operation.Top;
import dev.orrery.server.plan.Planner;
import dev.orrery.server.session.ClusterClock;
import dev.orrery.server.session.Sessions;
import dev.orrery.server.store.QueryHooks;
import dev.orrery.server.throughput.DatabaseThroughputs;
import dev.orrery.server.throughput.Governor;
import dev.orrery.server.throughput.Metering;
import dev.orrery.server.throughput.Provisioning;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.engine.ChronicleEngine;
import dev.orrery.storage.engine.EngineOptions;
import dev.orrery.storage.log.LogOptions;
import dev.orrery.value.RawDocument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.types.ObjectId;

/** A server but for its network: two dispatchers over one engine, one of which counts. */
final class DispatchedServer implements AutoCloseable {
  /** What is read. */
  enum Kind {
    UNSHARDED("collection without a key", "plain", "{_id: %d}"),
    SHARDED("16 partitions, by key and _id", "sharded", "{_id: %d, k: 'key%d'}"),
    LIMITED("100 partitions with 1,000,000 RU/s", "limited", "{_id: %d, k: 'key%d'}");

    private final String title;
    private final String collection;
    private final String filter;

    Kind(String title, String collection, String filter) {
      this.title = title;
      this.collection = collection;
      this.filter = filter;
    }

    String title() {
      return title;
    }

    BsonDocument find(int id) {
      return BsonDocument.parse(
          "{find: '%s', filter: %s, limit: 1, singleBatch: true, $db: 'bench'}"
              .formatted(collection, filter.formatted(id, id)));
    }
  }

  private static final int REQUESTS = 4096;
  private static final String PADDING = "x".repeat(900);

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final StorageEngine engine;
  private final Dispatcher counting;
  private final Dispatcher notCounting;
  private final ClientConnection connection = new ClientConnection(1, "client", "server");
  private final Random random = new Random(6);
  private final Map<Kind, Request[]> requests = new EnumMap<>(Kind.class);

  DispatchedServer(Path directory) {
    var options = EngineOptions.defaults().with(LogOptions.defaults().withFsync(false));
    engine = ChronicleEngine.open(directory, options, new QueryHooks());
    var throughputs = new DatabaseThroughputs(engine);
    var databases = new Databases(engine, Provisioning.EXTENDED, throughputs);
    var governor = new Governor(throughputs::of, Provisioning.EXTENDED, System::nanoTime);
    counting = dispatcher(directory, databases, new Metering(governor, System::nanoTime));
    notCounting = dispatcher(directory, databases, Metering.off());
  }

  private Dispatcher dispatcher(Path directory, Databases databases, Metering metering) {
    Clock clock = Clock.systemUTC();
    var operations = new Operations();
    var clusterClock = new ClusterClock(clock);
    var data =
        new DataServices(
            databases,
            new Planner(clock, databases.expiry(), databases.indexFilters()),
            new CursorRegistry(System::nanoTime, random::nextLong),
            clusterClock,
            clock,
            new Workers(Runnable::run, timer),
            new SpillDirectory(directory),
            ObjectId::new,
            operations);
    var facts = ServerFacts.starting("benchmark", 10, clock);
    var sessions = new Sessions(clock);
    var aggregate = new AggregateCommand(data, facts, sessions, new Top(name -> true));
    var commands = new ArrayList<Command>(DataCommands.list(data, aggregate, facts));
    commands.addAll(CosmosCommands.list(new CosmosServices(databases, metering, new Ledgers())));
    var parts =
        new Dispatcher.Parts(
            new CommandTable(commands),
            sessions,
            clusterClock,
            AccessControl.OPEN,
            new CommandMetrics(),
            metering,
            operations);
    return new Dispatcher(parts, Runnable::run, System::nanoTime);
  }

  void fill(int count) {
    run("{shardCollection: 'bench.sharded', key: {k: 'hashed'}, numInitialChunks: 16}");
    run(
        "{customAction: 'CreateCollection', collection: 'limited', shardKey: 'k',"
            + " offerThroughput: 1000000}");
    for (Kind kind : Kind.values()) {
      for (int i = 0; i < count; i += 100) {
        var batch = new StringBuilder();
        for (int id = i; id < i + 100; id++) {
          batch.append("{_id: %d, k: 'key%d', x: '%s'},".formatted(id, id, PADDING));
        }
        run("{insert: '%s', documents: [%s]}".formatted(kind.collection, batch));
      }
      var ready = new Request[REQUESTS];
      for (int i = 0; i < REQUESTS; i++) {
        var find = RawDocument.of(kind.find(random.nextInt(count)));
        ready[i] = Request.message(connection, find, List.of());
      }
      requests.put(kind, ready);
    }
  }

  private void run(String command) {
    BsonDocument body = BsonDocument.parse(command.replace(",]", "]"));
    body.append("$db", new BsonString("bench"));
    var replies = new ArrayList<BsonDocument>();
    notCounting.dispatch(
        Request.message(connection, RawDocument.of(body), List.of()), replies::add);
    if (replies.get(0).getNumber("ok").intValue() != 1
        || replies.get(0).containsKey("writeErrors")) {
      throw new IllegalStateException(replies.toString());
    }
  }

  /** What answers the requests of a network. */
  RequestHandler handler(boolean isCounted) {
    return new CommandHandler(isCounted ? counting : notCounting, new NetworkMeters());
  }

  /** Reads that many random documents, one after the other. */
  void read(Kind kind, boolean isCounted, int count) {
    Dispatcher dispatcher = isCounted ? counting : notCounting;
    Request[] ready = requests.get(kind);
    for (int i = 0; i < count; i++) {
      dispatcher.dispatch(ready[i % REQUESTS], reply -> {});
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
    engine.close();
  }

  static void delete(Path directory) throws IOException {
    try (var paths = Files.walk(directory)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
