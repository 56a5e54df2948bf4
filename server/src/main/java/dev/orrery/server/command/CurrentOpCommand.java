package dev.orrery.server.command;

import org.bson.BsonArray;
import org.bson.BsonDocument;

/** {@code currentOp}: what runs now; running operations are not listed yet. */
final class CurrentOpCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("currentOp", Access.ADMIN, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.ignoreRest("$all", "$ownOps");
    body.finish();
    return new BsonDocument("inprog", new BsonArray());
  }
}
