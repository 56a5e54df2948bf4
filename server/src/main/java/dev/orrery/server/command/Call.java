package dev.orrery.server.command;

import dev.orrery.lane.Lane;
import dev.orrery.language.limit.Allowance;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.bson.BsonDocument;

/** One request on its way to its reply. */
final class Call {
  /** How long a request may compute where many connections wait for it. */
  private static final long LOOP_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(10);

  final Request request;
  final CommandReader body;
  final KnownCommand known;
  final Consumer<BsonDocument> replyTo;
  final long startNanos;
  // Set when the envelope could be read; an error reply needs it too.
  CommandContext context;
  long endNanos;

  /** How long the reply was when there was no room for it. */
  long replyBytes;

  Call(
      Request request,
      CommandReader body,
      KnownCommand known,
      Consumer<BsonDocument> replyTo,
      long startNanos) {
    this.request = request;
    this.body = body;
    this.known = known;
    this.replyTo = replyTo;
    this.startNanos = startNanos;
  }

  /** The same call from its beginning. */
  Call again(NameCache names) {
    var again =
        new Call(request, CommandReader.ofRequest(request, names), known, replyTo, startNanos);
    again.replyBytes = replyBytes;
    return again;
  }

  /**
   * Called now and then by what counts its steps: what takes long on an event loop after all is
   * begun anew elsewhere, unless it has changed something already.
   */
  void leaveTheLoopIfLate() {
    boolean isLate = context.operation().nanos() > LOOP_NANOS_MAX;
    if (isLate && Lane.current() == Lane.EVENT_LOOP && !context.hasWritten()) {
      Lane.requireMayWait();
    }
  }

  /** Somebody whose request is not read yet. */
  record Newcomer(ClientConnection connection) implements Allowance.Interruption {
    @Override
    public void check() {}

    @Override
    public Object owner() {
      return connection.owner();
    }
  }
}
