package dev.orrery.server.command.cosmos;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.Names;
import org.bson.BsonDocument;

/** {@code enableSharding}: accepted; every database can hold partitioned collections. */
final class EnableShardingCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("enableSharding", Access.ADMIN, Trait.WRITE_CONCERN).alias("enablesharding");
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    Names.requireDatabase(body.requireString("enableSharding"));
    body.ignore("primaryShard");
    body.finish();
    return new BsonDocument();
  }
}
