package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/** {@code connPoolStats}: connections to other servers, of which there are none. */
final class ConnPoolStatsCommand implements Command {
  private static final BsonInt32 NONE = new BsonInt32(0);

  @Override
  public Spec spec() {
    return Spec.of("connPoolStats", Access.READ);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    return new BsonDocument("numClientConnections", NONE)
        .append("numAScopedConnections", NONE)
        .append("totalInUse", NONE)
        .append("totalAvailable", NONE)
        .append("totalLeased", NONE)
        .append("totalCreated", NONE)
        .append("totalRefreshing", NONE)
        .append("pools", new BsonDocument())
        .append("hosts", new BsonDocument())
        .append("replicaSets", new BsonDocument());
  }
}
