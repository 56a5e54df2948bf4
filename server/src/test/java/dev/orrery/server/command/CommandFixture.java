package dev.orrery.server.command;

import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.server.auth.Security;
import dev.orrery.server.command.diagnostic.ConcernDefaults;
import dev.orrery.server.command.diagnostic.RecentLog;
import dev.orrery.server.command.diagnostic.Services;
import dev.orrery.server.command.diagnostic.StandardCommands;
import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.server.ledger.Ledgers;
import dev.orrery.server.operation.Operations;
import dev.orrery.server.session.ClusterClock;
import dev.orrery.server.session.Sessions;
import dev.orrery.server.throughput.Metering;
import dev.orrery.server.workload.RequestObserver;
import dev.orrery.value.RawDocument;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;

/** A dispatcher with the standard commands, a clock that stands still, and no network. */
public final class CommandFixture {
  public static final Instant NOW = Instant.parse("2026-03-04T05:06:07.890Z");
  private static final JsonWriterSettings CANONICAL =
      JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();

  final Clock clock = Clock.fixed(NOW, ZoneOffset.UTC);
  public final AtomicLong nanos = new AtomicLong();
  public long nanosPerReading; // by which each look at the clock of operations moves it
  public final Sessions sessions = new Sessions(clock);
  final CommandMetrics metrics = new CommandMetrics();
  public final NetworkMeters network = new NetworkMeters();
  RequestRules rules = RequestRules.NONE;
  public final ServerParameters parameters = new ServerParameters();
  public final RecentLog log = new RecentLog();
  public final List<String> stops = new ArrayList<>();
  public final ClientConnection connection =
      new ClientConnection(7, "127.0.0.1:50000", "127.0.0.1:27017");
  AccessControl access = AccessControl.OPEN;
  public final Operations operations;
  final CursorRegistry cursors =
      new CursorRegistry(nanos::get, new AtomicLong(1000)::incrementAndGet);
  Metering metering = Metering.unlimited();
  Executor workers = Runnable::run;
  final Security security = Security.open();
  public final Ledgers ledgers = new Ledgers();
  public RequestObserver recorder = RequestObserver.NONE;
  private final List<Command> further = new ArrayList<>();

  public UnaryOperator<ServerFacts> announced = facts -> facts;
  public ConcernDefaults concerns = ConcernDefaults.passing();

  public CommandFixture() {
    this(MemoryBudget.ofHeap());
  }

  CommandFixture(MemoryBudget memory) {
    operations = new Operations(memory);
  }

  CommandFixture with(Command... commands) {
    further.addAll(List.of(commands));
    return this;
  }

  public Services services() {
    ServerFacts facts =
        ServerFacts.starting("0.1.0", 1000, clock)
            .withCommandLine(List.of("--port", "27017"), BsonDocument.parse("{net: {port: 1}}"));
    return new Services(
        announced.apply(facts),
        sessions,
        new ClusterClock(clock),
        metrics,
        network,
        parameters,
        log,
        () -> stops.add("stop"),
        security,
        operations,
        cursors,
        concerns);
  }

  public Dispatcher dispatcher() {
    Services services = services();
    var parts =
        new Dispatcher.Parts(
            StandardCommands.table(services, further),
            sessions,
            services.clusterClock(),
            access,
            metrics,
            metering,
            operations);
    return new Dispatcher(parts, workers, () -> nanos.getAndAdd(nanosPerReading))
        .obeying(rules)
        .observedBy(ledgers)
        .recordedBy(recorder);
  }

  /** The replies so far to a command that may answer later. */
  List<BsonDocument> start(String json) {
    var replies = new CopyOnWriteArrayList<BsonDocument>();
    dispatcher().dispatch(request(json), reply -> replies.add(timeless(reply)));
    return replies;
  }

  /** A reply without the cluster time, which every reply ends with. */
  static BsonDocument timeless(BsonDocument reply) {
    reply.remove("$clusterTime");
    reply.remove("operationTime");
    return reply;
  }

  private Request request(String json) {
    return Request.message(connection, RawDocument.of(BsonDocument.parse(json)), List.of());
  }

  /**
   * The reply to a command on the database admin, unless it names another. Only in a session it has
   * the cluster time, so that other replies can be compared whole.
   */
  public BsonDocument run(String json) {
    String command =
        json.contains("$db") ? json : json.substring(0, json.length() - 1) + ", $db: 'admin'}";
    BsonDocument reply = AwaitedReply.of(dispatcher(), request(command));
    return json.contains("lsid") ? reply : timeless(reply);
  }

  /** The same as text, with types and order of fields. */
  public String answer(String json) {
    return run(json).toJson(CANONICAL);
  }

  /** {@code code codeName: errmsg}. */
  public String error(String json) {
    BsonDocument reply = run(json);
    return reply.getInt32("code").getValue()
        + " "
        + reply.getString("codeName").getValue()
        + ": "
        + reply.getString("errmsg").getValue();
  }

  public static String canonical(String json) {
    return BsonDocument.parse(json).toJson(CANONICAL);
  }
}
