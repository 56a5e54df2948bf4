package dev.orrery.server.command.schema;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.collection.TimeSeries;
import dev.orrery.server.command.data.ProfileCollections;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.catalog.CollectionInfo;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** {@code drop}: removes a collection or a view; a missing one is no error. */
final class DropCommand implements Command {
  private final Databases databases;

  DropCommand(Databases databases) {
    this.databases = databases;
  }

  @Override
  public Spec spec() {
    return Spec.of("drop", Access.WRITE, Trait.LONG, Trait.STABLE_API, Trait.WRITE_CONCERN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String collection = body.collection();
    body.ignore("collectionUUID");
    body.finish();
    var reply = new BsonDocument();
    CollectionStore found = databases.find(context.database(), collection);
    if (found == null) {
      return reply;
    }
    requireUnused(context.database(), collection);
    int indexes = countIndexes(found.info());
    if (databases.engine().drop(found)) {
      context.awaitDurable(databases.engine().receipt());
      if (!found.info().isView()) {
        reply.append("nIndexesWas", new BsonInt32(indexes));
      }
      reply.append("ns", new BsonString(found.info().namespace().toString()));
    }
    return reply;
  }

  /** MongoDB's buckets of measurements have no index on {@code _id}, but one on the source. */
  private static int countIndexes(CollectionInfo info) {
    TimeSeries series = TimeSeries.of(info);
    boolean isWithoutSource = series != null && series.meta() == null;
    return info.indexes().size() - (isWithoutSource ? 1 : 0);
  }

  private void requireUnused(String database, String collection) {
    if (collection.equals(ProfileCollections.NAME)
        && databases.profiles().database(database).level() != 0) {
      throw new CommandException(
          ErrorCode.ILLEGAL_OPERATION,
          "turn off profiling before dropping system.profile collection");
    }
  }
}
