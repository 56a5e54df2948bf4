package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.ServerFacts;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** {@code getDefaultRWConcern}: what reads and writes get that ask for nothing. */
final class GetDefaultRwConcernCommand implements Command {
  private static final String READ = "defaultReadConcern";
  private static final String WRITE = "defaultWriteConcern";
  private static final String UPDATED = "updateWallClockTime";

  private final ConcernDefaults defaults;
  private final ServerFacts facts;

  GetDefaultRwConcernCommand(ConcernDefaults defaults, ServerFacts facts) {
    this.defaults = defaults;
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
    return describe(defaults, facts);
  }

  static BsonDocument describe(ConcernDefaults defaults, ServerFacts facts) {
    BsonDocument given = defaults.given();
    var reply =
        new BsonDocument(READ, given.getDocument(READ, ConcernDefaults.READ).clone())
            .append(WRITE, given.getDocument(WRITE, ConcernDefaults.WRITE).clone());
    if (given.containsKey(UPDATED)) {
      reply.append(UPDATED, given.get(UPDATED));
    }
    return reply
        .append("defaultWriteConcernSource", source(given, WRITE))
        .append("defaultReadConcernSource", source(given, READ))
        .append("localUpdateWallClockTime", new BsonDateTime(facts.startMillis()));
  }

  private static BsonString source(BsonDocument given, String concern) {
    return new BsonString(given.containsKey(concern) ? "global" : "implicit");
  }
}
