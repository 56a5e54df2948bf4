package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import org.bson.BsonArray;
import org.bson.BsonDocument;

/** {@code lockInfo}: locks that somebody waits for; reads and writes hold none that long. */
final class LockInfoCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("lockInfo", Access.ADMIN, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.ignore("includeStorageEngineDump");
    body.finish();
    return new BsonDocument("lockInfo", new BsonArray());
  }
}
