package dev.orrery.server.command.schema;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.collection.ViewErrors;
import dev.orrery.storage.CollectionStore;
import org.bson.BsonDocument;
import org.bson.BsonInt64;

/** {@code compact}: accepted; the log is compacted in the background by itself. */
final class CompactCommand implements Command {
  private final Databases databases;

  CompactCommand(Databases databases) {
    this.databases = databases;
  }

  @Override
  public Spec spec() {
    return Spec.of("compact", Access.ADMIN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String collection = body.collection();
    body.ignore("force", "freeSpaceTargetMB", "dryRun");
    body.finish();
    CollectionStore found = databases.find(context.database(), collection);
    if (found == null) {
      throw new CommandException(ErrorCode.NAMESPACE_NOT_FOUND, "collection does not exist");
    }
    if (found.info().isView()) {
      throw ViewErrors.notSupported("can't compact a view");
    }
    return new BsonDocument("bytesFreed", new BsonInt64(0));
  }
}
