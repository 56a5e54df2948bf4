package dev.orrery.server.command.cosmos;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.ConfigDatabase;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;

/** {@code listShards}: the one shard that this server is. */
final class ListShardsCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("listShards", Access.READ, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    return new BsonDocument("shards", new BsonArray(List.of(ConfigDatabase.shard())));
  }
}
