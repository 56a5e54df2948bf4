package dev.orrery.server.command;

import dev.orrery.server.limit.Allowance;
import java.util.function.Consumer;
import org.bson.BsonDocument;

/** One request on its way to its reply. */
final class Call {
  final Request request;
  final CommandReader body;
  final KnownCommand known;
  final Consumer<BsonDocument> replyTo;
  final long startNanos;
  // Set as far as the envelope could be read; an error reply needs them too.
  CommandContext context;
  boolean followsClusterTime;
  long endNanos;

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
    return new Call(request, CommandReader.ofRequest(request, names), known, replyTo, startNanos);
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
