package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.ServerFacts;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** {@code getDefaultRWConcern}: what reads and writes get that ask for nothing. */
final class GetDefaultRwConcernCommand implements Command {
  private static final BsonString IMPLICIT = new BsonString("implicit");

  private final ServerFacts facts;

  GetDefaultRwConcernCommand(ServerFacts facts) {
    this.facts = facts;
  }

  @Override
  public Spec spec() {
    return Spec.of("getDefaultRWConcern", Access.READ, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.ignore("inMemory");
    body.finish();
    return new BsonDocument(
            "defaultReadConcern", new BsonDocument("level", new BsonString("local")))
        .append(
            "defaultWriteConcern",
            new BsonDocument("w", new BsonString("majority")).append("wtimeout", new BsonInt32(0)))
        .append("defaultWriteConcernSource", IMPLICIT)
        .append("defaultReadConcernSource", IMPLICIT)
        .append("localUpdateWallClockTime", new BsonDateTime(facts.startMillis()));
  }
}
