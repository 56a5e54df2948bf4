package dev.orrery.server.command.diagnostic;

import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.language.number.Numbers;
import dev.orrery.server.command.ClientConnection;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandMetrics;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.NetworkMeters;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.server.operation.Operation;
import dev.orrery.server.session.SessionTransaction;
import dev.orrery.server.session.Sessions;
import dev.orrery.server.session.Transactions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;

/** {@code serverStatus}: what the server did since it started. A section is left out with 0. */
final class ServerStatusCommand implements Command {
  private static final int BYTES_PER_MEGABYTE = 1 << 20;
  private static final double MILLIS_PER_SECOND = 1000;
  private static final int NANOS_PER_MICRO = 1000;
  private static final List<String> LATENCIES = List.of("reads", "writes", "commands");

  private final Services services;
  private final ServerFacts facts;
  private final Map<String, Supplier<BsonDocument>> sections = new LinkedHashMap<>();

  ServerStatusCommand(Services services) {
    this.services = services;
    this.facts = services.facts();
    sections.put("asserts", this::asserts);
    sections.put("connections", this::connections);
    sections.put("globalLock", this::globalLock);
    sections.put("logicalSessionRecordCache", this::sessionCache);
    sections.put("mem", ServerStatusCommand::memory);
    sections.put("memoryBudget", this::memoryBudget);
    sections.put("metrics", this::metrics);
    sections.put("network", this::network);
    sections.put("opLatencies", this::latencies);
    sections.put("opcounters", this::operations);
    sections.put("opcountersRepl", ServerStatusCommand::replicatedOperations);
    sections.put("storageEngine", ServerStatusCommand::storageEngine);
    sections.put("transactions", this::transactions);
  }

  @Override
  public Spec spec() {
    return Spec.of("serverStatus", Access.READ, Trait.LONG);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    var shown = new LinkedHashMap<String, Supplier<BsonDocument>>();
    sections.forEach(
        (name, section) -> {
          if (body.safeBool(name, true)) {
            shown.put(name, section);
          }
        });
    boolean showsReplication = body.safeBool("repl", true);
    body.ignoreRest("recordStats");
    body.finish();
    BsonDocument reply = header();
    shown.forEach((name, section) -> reply.append(name, section.get()));
    if (showsReplication) {
      reply.append("repl", replication(context.connection()));
    }
    return reply;
  }

  private BsonDocument header() {
    long uptimeMillis = facts.uptimeMillis();
    double uptimeSeconds = Math.floor(uptimeMillis / MILLIS_PER_SECOND);
    return new BsonDocument("host", new BsonString(HostInfoCommand.hostName()))
        .append("version", new BsonString(ServerFacts.MONGODB_VERSION))
        .append("process", new BsonString("mongod"))
        .append("pid", new BsonInt64(ProcessHandle.current().pid()))
        .append("uptime", new BsonDouble(uptimeSeconds))
        .append("uptimeMillis", new BsonInt64(uptimeMillis))
        .append("uptimeEstimate", new BsonInt64((long) uptimeSeconds))
        .append("localTime", new BsonDateTime(facts.clock().millis()));
  }

  private BsonDocument asserts() {
    return new BsonDocument("regular", Numbers.intOrLong(services.metrics().internalErrors()))
        .append("warning", Numbers.intOrLong(0))
        .append("msg", Numbers.intOrLong(0))
        .append("user", Numbers.intOrLong(services.metrics().userErrors()))
        .append("tripwire", Numbers.intOrLong(0))
        .append("rollovers", Numbers.intOrLong(0));
  }

  private BsonDocument connections() {
    long current = services.network().connections();
    return new BsonDocument("current", Numbers.intOrLong(current))
        .append("available", Numbers.intOrLong(Math.max(0, facts.connectionsMax() - current)))
        .append("totalCreated", Numbers.intOrLong(services.network().connectionsCreated()))
        .append("threaded", Numbers.intOrLong(current))
        .append("active", Numbers.intOrLong(services.operations().running().size()));
  }

  private BsonDocument globalLock() {
    List<Operation> running = services.operations().running();
    long readers = running.stream().filter(each -> each.subject().isRead()).count();
    return new BsonDocument("totalTime", new BsonInt64(facts.uptimeMillis() * 1000))
        .append("currentQueue", clients(0, 0)) // nothing queues for a lock that is not there
        .append("activeClients", clients(readers, running.size() - readers));
  }

  private static BsonDocument clients(long readers, long writers) {
    return new BsonDocument("total", Numbers.intOrLong(readers + writers))
        .append("readers", Numbers.intOrLong(readers))
        .append("writers", Numbers.intOrLong(writers));
  }

  /** Time and number of the reads, writes and other commands since the start. */
  private BsonDocument latencies() {
    long[][] sums = new long[LATENCIES.size()][2];
    services
        .metrics()
        .commands()
        .forEach(
            (name, counts) -> {
              long[] sum = sums[LATENCIES.indexOf(kind(name))];
              sum[0] += counts.nanos() / NANOS_PER_MICRO;
              sum[1] += counts.total();
            });
    var latencies = new BsonDocument();
    for (int i = 0; i < sums.length; i++) {
      latencies.append(
          LATENCIES.get(i),
          new BsonDocument("latency", new BsonInt64(sums[i][0]))
              .append("ops", new BsonInt64(sums[i][1])));
    }
    return latencies.append(
        "transactions",
        new BsonDocument("latency", new BsonInt64(0)).append("ops", new BsonInt64(0)));
  }

  private static String kind(String command) {
    return switch (command) {
      case "aggregate", "count", "distinct", "find", "getMore" -> "reads";
      case "delete", "findAndModify", "insert", "update" -> "writes";
      default -> "commands";
    };
  }

  private BsonDocument sessionCache() {
    return new BsonDocument("activeSessionsCount", Numbers.intOrLong(services.sessions().count()))
        .append("sessionsTimeoutMinutes", Numbers.intOrLong(Sessions.TIMEOUT.toMinutes()));
  }

  private BsonDocument transactions() {
    Transactions all = services.sessions().transactions();
    if (all == null) {
      return new BsonDocument();
    }
    List<SessionTransaction> open = all.open();
    long active = open.stream().filter(SessionTransaction::isActive).count();
    return new BsonDocument("currentActive", new BsonInt64(active))
        .append("currentInactive", new BsonInt64(open.size() - active))
        .append("currentOpen", new BsonInt64(open.size()))
        .append("totalAborted", new BsonInt64(all.aborted()))
        .append("totalCommitted", new BsonInt64(all.committed()))
        .append("totalStarted", new BsonInt64(all.started()));
  }

  private static BsonDocument memory() {
    return new BsonDocument("bits", new BsonInt32(64))
        .append("resident", Numbers.intOrLong(Memory.residentBytes() / BYTES_PER_MEGABYTE))
        .append("virtual", Numbers.intOrLong(Memory.virtualBytes() / BYTES_PER_MEGABYTE))
        .append("supported", BsonBoolean.TRUE);
  }

  /** A section of ours: what requests, cursors and messages may take together, and do. */
  private BsonDocument memoryBudget() {
    MemoryBudget budget = services.operations().memory();
    var section =
        new BsonDocument("limitBytes", new BsonInt64(budget.bytesMax()))
            .append("usedBytes", new BsonInt64(budget.usedBytes()));
    for (MemoryBudget.Use use : MemoryBudget.Use.values()) {
      String name = use.name().toLowerCase(Locale.ROOT) + "Bytes";
      section.append(name, new BsonInt64(budget.usedBytes(use)));
    }
    return section
        .append("idleCursorsBytes", new BsonInt64(budget.restingBytes()))
        .append("peakBytes", new BsonInt64(budget.mostBytes()))
        .append("refusals", new BsonInt64(budget.refusals()));
  }

  private BsonDocument metrics() {
    var commands =
        new BsonDocument("<UNKNOWN>", new BsonInt64(services.metrics().unknownCommands()));
    services
        .metrics()
        .commands()
        .forEach(
            (name, counts) ->
                commands.append(
                    name,
                    new BsonDocument("failed", new BsonInt64(counts.failed()))
                        .append("total", new BsonInt64(counts.total()))));
    long idle = services.cursors().idle().size();
    long total = services.cursors().count();
    var open =
        new BsonDocument("noTimeout", new BsonInt64(0))
            .append("pinned", new BsonInt64(Math.max(0, total - idle)))
            .append("total", new BsonInt64(total));
    CursorRegistry.Totals totals = services.cursors().totals();
    var cursors =
        new BsonDocument("moreThanOneBatch", new BsonInt64(totals.continued()))
            .append("timedOut", new BsonInt64(totals.timedOut()))
            .append("totalOpened", new BsonInt64(totals.opened()))
            .append("open", open);
    return new BsonDocument("commands", commands).append("cursor", cursors);
  }

  private BsonDocument network() {
    NetworkMeters meters = services.network();
    return new BsonDocument("bytesIn", new BsonInt64(meters.bytesIn()))
        .append("bytesOut", new BsonInt64(meters.bytesOut()))
        .append("physicalBytesIn", new BsonInt64(meters.bytesIn()))
        .append("physicalBytesOut", new BsonInt64(meters.bytesOut()))
        .append("numRequests", new BsonInt64(meters.requests()));
  }

  private BsonDocument operations() {
    var counters = new BsonDocument();
    for (CommandMetrics.Operation operation : CommandMetrics.Operation.values()) {
      counters.append(
          operation.name().toLowerCase(Locale.ROOT),
          new BsonInt64(services.metrics().operations(operation)));
    }
    return counters;
  }

  /** Nothing is replicated. */
  private static BsonDocument replicatedOperations() {
    var counters = new BsonDocument();
    for (CommandMetrics.Operation operation : CommandMetrics.Operation.values()) {
      counters.append(operation.name().toLowerCase(Locale.ROOT), new BsonInt64(0));
    }
    return counters;
  }

  private static BsonDocument storageEngine() {
    return new BsonDocument("name", new BsonString("orrery"))
        .append("supportsCommittedReads", BsonBoolean.TRUE)
        .append("persistent", BsonBoolean.TRUE);
  }

  private BsonDocument replication(ClientConnection connection) {
    var host = new BsonString(facts.hostFor(connection));
    return new BsonDocument("setName", new BsonString(facts.setName()))
        .append("setVersion", new BsonInt32(1))
        .append("isWritablePrimary", BsonBoolean.TRUE)
        .append("secondary", BsonBoolean.FALSE)
        .append("primary", host)
        .append("me", host);
  }
}
