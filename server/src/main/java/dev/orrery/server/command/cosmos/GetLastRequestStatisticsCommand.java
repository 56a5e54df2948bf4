package dev.orrery.server.command.cosmos;

import dev.orrery.server.command.ClientConnection;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt64;
import org.bson.BsonString;

/** {@code getLastRequestStatistics}: what the last request of this connection cost. */
final class GetLastRequestStatisticsCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("getLastRequestStatistics", Access.READ);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    var reply = new BsonDocument("_t", new BsonString("GetRequestStatisticsResponse"));
    reply.append("ok", new BsonDouble(1)); // the dispatcher sets it, and leaves it in its place
    ClientConnection.LastRequest last = context.connection().lastRequest();
    if (last == null) {
      return reply;
    }
    return reply
        .append("CommandName", new BsonString(last.commandName()))
        .append("RequestCharge", new BsonDouble(last.charge().toDouble()))
        .append(
            "RequestDurationInMilliSeconds",
            new BsonInt64(TimeUnit.NANOSECONDS.toMillis(last.nanos())));
  }
}
