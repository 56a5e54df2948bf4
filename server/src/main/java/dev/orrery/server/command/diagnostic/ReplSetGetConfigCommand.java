package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.ServerFacts;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNumber;
import org.bson.BsonString;

/** {@code replSetGetConfig}: the configuration of a replica set of one. */
final class ReplSetGetConfigCommand implements Command {
  private static final BsonNumber ONE = new BsonInt32(1);

  private final ServerFacts facts;

  ReplSetGetConfigCommand(ServerFacts facts) {
    this.facts = facts;
  }

  @Override
  public Spec spec() {
    return Spec.of("replSetGetConfig", Access.READ, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.ignore("commitmentStatus");
    body.finish();
    BsonDocument member =
        new BsonDocument("_id", new BsonInt32(0))
            .append("host", new BsonString(facts.hostFor(context.connection())))
            .append("arbiterOnly", BsonBoolean.FALSE)
            .append("buildIndexes", BsonBoolean.TRUE)
            .append("hidden", BsonBoolean.FALSE)
            .append("priority", ONE)
            .append("tags", new BsonDocument())
            .append("secondaryDelaySecs", new BsonInt64(0))
            .append("votes", ONE);
    return new BsonDocument(
        "config",
        new BsonDocument("_id", new BsonString(facts.setName()))
            .append("version", ONE)
            .append("term", ONE)
            .append("members", new BsonArray(List.of(member)))
            .append("protocolVersion", new BsonInt64(1))
            .append("writeConcernMajorityJournalDefault", BsonBoolean.TRUE)
            .append("settings", new BsonDocument()));
  }
}
