package dev.orrery.server.command;

import dev.orrery.server.command.CommandMetrics.Operation;
import dev.orrery.server.session.Sessions;
import java.util.LinkedHashMap;
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
import org.bson.BsonValue;

/** {@code serverStatus}: what the server did since it started. A section is left out with 0. */
final class ServerStatusCommand implements Command {
  private static final int BYTES_PER_MEGABYTE = 1 << 20;
  private static final double MILLIS_PER_SECOND = 1000;

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
    sections.put("metrics", this::metrics);
    sections.put("network", this::network);
    sections.put("opcounters", this::operations);
    sections.put("storageEngine", ServerStatusCommand::storageEngine);
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
    return new BsonDocument("regular", count(services.metrics().internalErrors()))
        .append("warning", count(0))
        .append("msg", count(0))
        .append("user", count(services.metrics().userErrors()))
        .append("tripwire", count(0))
        .append("rollovers", count(0));
  }

  private BsonDocument connections() {
    long current = services.network().connections();
    return new BsonDocument("current", count(current))
        .append("available", count(Math.max(0, facts.connectionsMax() - current)))
        .append("totalCreated", count(services.network().connectionsCreated()))
        .append("active", count(1)); // whoever asks for this
  }

  private BsonDocument globalLock() {
    // Nothing queues for a global lock: there is none.
    var none =
        new BsonDocument("total", count(0)).append("readers", count(0)).append("writers", count(0));
    return new BsonDocument("totalTime", new BsonInt64(facts.uptimeMillis() * 1000))
        .append("currentQueue", none)
        .append("activeClients", none);
  }

  private BsonDocument sessionCache() {
    return new BsonDocument("activeSessionsCount", count(services.sessions().count()))
        .append("sessionsTimeoutMinutes", count(Sessions.TIMEOUT.toMinutes()));
  }

  private static BsonDocument memory() {
    return new BsonDocument("bits", new BsonInt32(64))
        .append("resident", count(Memory.residentBytes() / BYTES_PER_MEGABYTE))
        .append("virtual", count(Memory.virtualBytes() / BYTES_PER_MEGABYTE))
        .append("supported", BsonBoolean.TRUE);
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
                    new BsonDocument("failed", new BsonInt64(counts.failed.sum()))
                        .append("total", new BsonInt64(counts.total.sum()))));
    return new BsonDocument("commands", commands);
  }

  private BsonDocument network() {
    NetworkMeters meters = services.network();
    return new BsonDocument("bytesIn", new BsonInt64(meters.bytesIn()))
        .append("bytesOut", new BsonInt64(meters.bytesOut()))
        .append("numRequests", new BsonInt64(meters.requests()));
  }

  private BsonDocument operations() {
    var counters = new BsonDocument();
    for (Operation operation : Operation.values()) {
      counters.append(
          operation.name().toLowerCase(Locale.ROOT),
          new BsonInt64(services.metrics().operations(operation)));
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
    return new BsonDocument("setName", new BsonString(ServerFacts.SET_NAME))
        .append("setVersion", new BsonInt32(1))
        .append("isWritablePrimary", BsonBoolean.TRUE)
        .append("secondary", BsonBoolean.FALSE)
        .append("primary", host)
        .append("me", host);
  }

  /** A 32-bit number as long as it fits, as MongoDB writes these. */
  private static BsonValue count(long value) {
    return value == (int) value ? new BsonInt32((int) value) : new BsonInt64(value);
  }
}
