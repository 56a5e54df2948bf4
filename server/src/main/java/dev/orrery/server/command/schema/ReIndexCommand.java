package dev.orrery.server.command.schema;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.collection.ViewErrors;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.Namespace;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/**
 * {@code reIndex}: refused, as by every member of a replica set. Where Cosmos DB is imitated, which
 * has it, it answers as if all indexes were built anew; they are kept in step with every write and
 * are rebuilt from the log after a crash.
 */
final class ReIndexCommand implements Command {
  private final Databases databases;

  ReIndexCommand(Databases databases) {
    this.databases = databases;
  }

  @Override
  public Spec spec() {
    return Spec.of("reIndex", Access.WRITE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String collection = body.collection();
    body.finish();
    if (!databases.provisioning().rules().isCosmos()) {
      throw new CommandException(
          ErrorCode.ILLEGAL_OPERATION,
          "reIndex is only allowed on a standalone mongod instance. Cannot reIndex '%s' while"
                  .formatted(new Namespace(context.database(), collection))
              + " replication is active");
    }
    CollectionStore found = databases.find(context.database(), collection);
    if (found == null) {
      throw new CommandException(ErrorCode.NAMESPACE_NOT_FOUND, "collection does not exist");
    }
    if (found.info().isView()) {
      throw ViewErrors.notSupported("can't re-index a view");
    }
    var list = new BsonArray(IndexListing.of(found.info()));
    var count = new BsonInt32(list.size());
    return new BsonDocument("nIndexesWas", count).append("nIndexes", count).append("indexes", list);
  }
}
