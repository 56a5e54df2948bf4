package dev.orrery.server.command.cosmos;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;

/** {@code balancerStatus}: with one shard there is nothing to move, so no round is ever made. */
final class BalancerStatusCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("balancerStatus", Access.READ, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    return new BsonDocument("mode", new BsonString("off"))
        .append("inBalancerRound", BsonBoolean.FALSE)
        .append("numBalancerRounds", new BsonInt64(0));
  }
}
