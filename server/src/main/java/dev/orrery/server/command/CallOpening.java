package dev.orrery.server.command;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command.Trait;
import dev.orrery.server.operation.Operation;
import dev.orrery.server.operation.Subject;
import dev.orrery.server.session.Session;
import dev.orrery.server.session.SessionId;
import java.util.function.LongSupplier;

/** Begins calls: what holds for every command, before the command itself is asked. */
final class CallOpening {
  private final Dispatcher.Parts parts;
  private final LongSupplier nanoClock;
  private RequestRules rules = RequestRules.NONE;

  CallOpening(Dispatcher.Parts parts, LongSupplier nanoClock) {
    this.parts = parts;
    this.nanoClock = nanoClock;
  }

  /** Lets the server refuse what it could do. */
  void obey(RequestRules requestRules) {
    rules = requestRules;
  }

  /** Reads what every command carries and checks that the caller may go on. */
  void open(Call call) {
    Command.Spec spec = call.known.spec();
    Request request = call.request;
    request.requireSizes();
    CommandReader body = call.body.asCommand(spec, request);
    String database = body.database();
    Names.requireLength(database);
    Envelope envelope = Envelope.read(body, spec).ownedBy(request.connection().login().owner());
    SessionId sessionId = envelope.session().session();
    envelope.api().requireAllowed(spec, body);
    parts.access().require(request, spec, database);
    if (spec.has(Trait.ADMIN_DATABASE) && !database.equals("admin")) {
      throw new CommandException(
          ErrorCode.UNAUTHORIZED, spec.name() + " may only be run against the admin database.");
    }
    envelope.writeConcern().requireAllowed(spec);
    rules.require(request, database, envelope.session());
    TransactionRules.require(call, database, envelope);
    envelope.session().requireAllowed(spec);
    envelope.readConcern().requireReached(parts.clusterClock());
    boolean hasSession = sessionId != null && parts.access().allowsSessions(request.connection());
    Session session = hasSession ? parts.sessions().use(sessionId) : null;
    call.context =
        new CommandContext(request.connection(), database, envelope, session, begin(call, envelope))
            .guardedBy(parts.access());
  }

  /** From now on the call shows in currentOp, and can be killed. */
  private Operation begin(Call call, Envelope envelope) {
    Request request = call.request;
    Command.Spec spec = call.known.spec();
    var subject =
        new Subject(
            spec.name(),
            call.body.database(),
            call.body.peekText(call.known.collectionField()),
            request.body(),
            envelope.session().session(),
            spec.access() == Command.Access.READ,
            request.firstStatement());
    ClientConnection connection = request.connection();
    var operation =
        new Operation(
            parts.operations().nextId(),
            connection,
            subject,
            parts.metering().start(call.startNanos),
            nanoClock);
    operation.holdingOf(parts.operations().memory());
    connection.begin(operation.limitedTo(envelope.maxTimeMillis()));
    return operation;
  }

  /** Whether nobody is told that a write concern was not met. */
  boolean ignoresWriteConcern() {
    return rules.ignoresWriteConcern();
  }
}
