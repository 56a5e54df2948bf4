package dev.orrery.server.command.diagnostic;

import dev.orrery.language.number.Numbers;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.CollectionStatistics;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.collection.ViewErrors;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.Namespace;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** {@code collStats}: how much a collection and its indexes hold. */
final class CollStatsCommand implements Command {
  private final Databases databases;

  CollStatsCommand(Databases databases) {
    this.databases = databases;
  }

  @Override
  public Spec spec() {
    return Spec.of("collStats", Access.READ, Trait.LONG).alias("collstats");
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String collection = body.collection();
    long scale = body.atLeast("scale", 1, 1);
    body.ignore("verbose", "waitForLock", "numericOnly");
    body.finish();
    var namespace = new Namespace(context.database(), collection);
    CollectionStore found = databases.find(namespace.database(), collection);
    ViewErrors.requireCollection(found);
    var reply = new BsonDocument("ns", new BsonString(namespace.toString()));
    if (found == null) {
      return missing(reply, scale);
    }
    reply.putAll(CollectionStatistics.storage(found, scale));
    return reply;
  }

  private static BsonDocument missing(BsonDocument reply, long scale) {
    var zero = new BsonInt32(0);
    return reply
        .append("size", zero)
        .append("count", zero)
        .append("numOrphanDocs", zero)
        .append("storageSize", zero)
        .append("totalSize", zero)
        .append("nindexes", zero)
        .append("totalIndexSize", zero)
        .append("indexDetails", new BsonDocument())
        .append("indexSizes", new BsonDocument())
        .append("scaleFactor", Numbers.intOrLong(scale));
  }
}
