package dev.orrery.server.command;

import dev.orrery.language.error.BsonText;
import dev.orrery.server.throughput.Metering;
import dev.orrery.server.throughput.OperationWork;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import org.jspecify.annotations.Nullable;

/** The end of a call in the accounts: what it cost, and who caused it. */
final class Settlement {
  private Settlement() {}

  /** Counts what the call cost; what costs nothing is not the connection's last request. */
  static void settle(
      CommandContext context, Request request, String command, long nanos, Metering metering) {
    OperationWork work = context.work();
    work.settle();
    if (work.weight() > 0 || work.isRefused()) {
      context.operation().withStatement(request.firstStatement());
    }
    if (work.charge().twentyFirsts() == 0) {
      return;
    }
    ClientConnection connection = request.connection();
    connection.remember(new ClientConnection.LastRequest(command, work.charge(), nanos));
    if (work.weight() == 0) {
      return;
    }
    metering.finish(
        work,
        new Metering.Origin(
            command,
            connection.applicationName(),
            comment(context),
            request.body(),
            request.firstStatement()));
  }

  private static @Nullable String comment(CommandContext context) {
    RawValue comment = context.comment();
    if (comment == null) {
      return null;
    }
    return comment.type() == RawTypes.STRING
        ? comment.asString()
        : BsonText.stored(comment.toBsonValue());
  }
}
