package dev.orrery.server.command.diagnostic;

import dev.orrery.language.error.CommandException;
import dev.orrery.server.auth.Logins;
import dev.orrery.server.auth.UserName;
import dev.orrery.server.command.ClientConnection;
import dev.orrery.server.command.ClientMetadata;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.server.command.security.AuthenticateCommand;
import dev.orrery.server.command.security.SaslPayload;
import dev.orrery.server.operation.Topology;
import dev.orrery.server.session.ClusterClock;
import dev.orrery.server.session.Sessions;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import dev.orrery.wire.Compressor;
import dev.orrery.wire.WireLimits;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.types.ObjectId;

/**
 * {@code hello}, and {@code isMaster} before it: the primary of a replica set of one, so that
 * drivers use sessions and retry writes; or a router, with which they do so, too, where nobody
 * knows under which address clients find the server. A client that says what it knows is answered
 * when that changes, or when it has waited for long enough ({@link HelloWait}).
 */
final class HelloCommand implements Command {
  static final int WRITE_BATCH_MAX = 100_000;

  /** The wire version of MongoDB 7.0. */
  static final int WIRE_VERSION = 21;

  /** The elections of replica sets; clients trust the primary of the latest. */
  private static ObjectId election(long term) {
    return new ObjectId("7fffffff%016x".formatted(term));
  }

  private final Spec spec;
  private final String primaryField;
  private final ServerFacts facts;
  private final ClusterClock clusterClock;
  private final Logins logins;
  private final Topology topology;

  private HelloCommand(Spec spec, String primaryField, Services services) {
    this.spec = spec;
    this.primaryField = primaryField;
    this.facts = services.facts();
    this.clusterClock = services.clusterClock();
    this.logins = services.security().logins();
    this.topology = services.operations().topology();
  }

  static HelloCommand hello(Services services) {
    Spec spec = Spec.of("hello", Access.ANONYMOUS, Trait.PUBLIC, Trait.STABLE_API);
    return new HelloCommand(spec, "isWritablePrimary", services);
  }

  static HelloCommand isMaster(Services services) {
    Spec spec = Spec.of("isMaster", Access.ANONYMOUS, Trait.PUBLIC).alias("ismaster");
    return new HelloCommand(spec, "ismaster", services);
  }

  @Override
  public Spec spec() {
    return spec;
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    return start(context, body).toCompletableFuture().join();
  }

  @Override
  public CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
    boolean knowsHello = body.bool("helloOk", false);
    RawValue client = body.value("client");
    List<RawValue> compressors = body.array("compression");
    String mechanismsOf = body.string("saslSupportedMechs");
    RawDocument speculation = body.rawDocument("speculativeAuthenticate");
    HelloWait wait = HelloWait.parse(body);
    body.ignoreRest("backpressure", "hostInfo", "internalClient", "loadBalanced");
    body.finish();
    if (client != null) {
      ClientMetadata.introduce(context.connection(), client);
    }
    BsonDocument login = speculation == null ? null : speculate(context, speculation);
    return wait.then(
        context,
        topology,
        () -> {
          BsonDocument reply = reply(context.connection(), knowsHello, compressors);
          if (mechanismsOf != null) {
            reply.append("saslSupportedMechs", mechanisms(mechanismsOf));
          }
          return login == null ? reply : reply.append("speculativeAuthenticate", login);
        });
  }

  /** Of {@code db.user}. */
  private BsonArray mechanisms(String name) {
    int dot = name.indexOf('.');
    var user =
        dot < 0
            ? new UserName(name, "")
            : new UserName(name.substring(dot + 1), name.substring(0, dot));
    var mechanisms = new BsonArray();
    logins.mechanisms(user).forEach(each -> mechanisms.add(new BsonString(each)));
    return mechanisms;
  }

  /** The first step of a login, taken with the first request; null when it cannot be taken. */
  private BsonDocument speculate(CommandContext context, RawDocument document) {
    var body = CommandReader.of("speculativeAuthenticate", document);
    ClientConnection connection = context.connection();
    String subject = connection.certificateSubject();
    if (!body.has("saslStart") && subject == null) {
      return null;
    }
    try {
      String database = body.string("db");
      CompletionStage<BsonDocument> first =
          body.has("saslStart")
              ? logins
                  .start(
                      connection.loginAttempt(),
                      SaslPayload.start(body, database == null ? "admin" : database))
                  .thenApply(SaslPayload::reply)
              : logins
                  .withCertificate(connection.loginAttempt(), subject, null)
                  .thenApply(AuthenticateCommand::reply);
      var step = first.toCompletableFuture();
      // What failed is told later, when the client asks in earnest.
      return step.isDone() && !step.isCompletedExceptionally() ? step.join() : null;
    } catch (CommandException notNow) {
      return null;
    }
  }

  private BsonDocument reply(
      ClientConnection connection, boolean knowsHello, List<RawValue> compressors) {
    var host = new BsonString(facts.hostFor(connection));
    var reply = new BsonDocument();
    if (knowsHello) {
      reply.append("helloOk", BsonBoolean.TRUE);
    }
    reply.append("topologyVersion", topology.version());
    if (facts.namesNoHost()) {
      reply.append(primaryField, BsonBoolean.TRUE).append("msg", new BsonString("isdbgrid"));
    } else {
      appendMember(reply, new BsonString(facts.hostFor(connection)));
    }
    reply
        .append("maxBsonObjectSize", new BsonInt32(WireLimits.DOCUMENT_BYTES_MAX))
        .append("maxMessageSizeBytes", new BsonInt32(WireLimits.MESSAGE_BYTES_MAX))
        .append("maxWriteBatchSize", new BsonInt32(WRITE_BATCH_MAX))
        .append("localTime", new BsonDateTime(facts.clock().millis()))
        .append(
            "logicalSessionTimeoutMinutes",
            new BsonInt32(Math.toIntExact(Sessions.TIMEOUT.toMinutes())))
        .append("connectionId", new BsonInt64(connection.id()))
        .append("minWireVersion", new BsonInt32(0))
        .append("maxWireVersion", new BsonInt32(WIRE_VERSION))
        .append("readOnly", BsonBoolean.FALSE);
    if (facts.region() != null && !facts.namesNoHost()) {
      reply.append("tags", new BsonDocument("region", new BsonString(facts.region())));
    }
    BsonArray common = common(compressors);
    if (!common.isEmpty()) {
      reply.append("compression", common);
    }
    return reply;
  }

  /** What the member of a replica set tells of it. */
  private void appendMember(BsonDocument reply, BsonString host) {
    boolean isPrimary = topology.isPrimary();
    reply
        .append("hosts", new BsonArray(List.of(host)))
        .append("setName", new BsonString(facts.setName()))
        .append("setVersion", new BsonInt32(1))
        .append(primaryField, BsonBoolean.valueOf(isPrimary))
        .append("secondary", BsonBoolean.valueOf(!isPrimary));
    if (isPrimary) {
      reply.append("primary", host);
    }
    reply.append("me", host);
    if (isPrimary) {
      reply.append("electionId", new BsonObjectId(election(topology.term())));
    }
    reply.append("lastWrite", ReplicaSet.lastWrite(clusterClock.now()));
  }

  /** The compressors that both sides know, in the client's order. */
  private static BsonArray common(List<RawValue> offered) {
    var common = new BsonArray();
    offered.stream()
        .filter(name -> name.type() == RawTypes.STRING)
        .map(name -> Compressor.find(name.asString()))
        .flatMap(Optional::stream)
        .distinct()
        .forEach(compressor -> common.add(new BsonString(compressor.protocolName())));
    return common;
  }
}
