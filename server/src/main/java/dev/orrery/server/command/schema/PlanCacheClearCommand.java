package dev.orrery.server.command.schema;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import org.bson.BsonDocument;

/** {@code planCacheClear}: plans are made anew for each query, so there is nothing to clear. */
final class PlanCacheClearCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("planCacheClear", Access.WRITE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.collection();
    body.rawDocument("query");
    body.rawDocument("sort");
    body.rawDocument("projection");
    body.rawDocument("collation");
    body.finish();
    return new BsonDocument();
  }
}
