package dev.orrery.server.command;

import org.bson.BsonDocument;
import org.bson.BsonString;

/** {@code top}: the times of each collection; none are measured yet, so only the note shows. */
final class TopCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("top", Access.ADMIN, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    var note = new BsonString("all times in microseconds");
    return new BsonDocument("totals", new BsonDocument("note", note));
  }
}
