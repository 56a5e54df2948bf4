package dev.orrery.server.command.schema;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.stream.StreamAnnouncement;
import org.bson.BsonDocument;

/** {@code dropDatabase}: removes all collections and views of a database. */
final class DropDatabaseCommand implements Command {
  private final Databases databases;

  DropDatabaseCommand(Databases databases) {
    this.databases = databases;
  }

  @Override
  public Spec spec() {
    return Spec.of("dropDatabase", Access.ADMIN, Trait.LONG, Trait.STABLE_API, Trait.WRITE_CONCERN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    long one = body.int64("dropDatabase", 0);
    body.finish();
    String database = context.database();
    if (database.equals("admin")) {
      throw new CommandException(
          ErrorCode.ILLEGAL_OPERATION, "Dropping the 'admin' database is prohibited.");
    }
    if (database.equals("local")) {
      throw new CommandException(
          ErrorCode.ILLEGAL_OPERATION, "Cannot drop 'local' database while replication is active");
    }
    if (one != 1) {
      throw new CommandException(
          ErrorCode.LOCATION_5255100, "Have to pass 1 as 'dropDatabase' parameter");
    }
    databases.profiles().forget(database); // else this command, profiled, would make it anew
    boolean isThere = !databases.in(database).isEmpty();
    databases.in(database).forEach(databases.engine()::drop);
    databases.throughputs().remove(database);
    if (isThere) {
      databases.engine().announce(StreamAnnouncement.dropDatabase(database).toBson());
    }
    context.awaitDurable(databases.engine().receipt());
    return new BsonDocument();
  }
}
