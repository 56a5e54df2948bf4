package dev.orrery.server.command.diagnostic;

import dev.orrery.language.number.Numbers;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.Sizes;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.collection.ViewErrors;
import dev.orrery.server.command.schema.CollectionOptions;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.Namespace;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;

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
    String collection = body.collection("collStats");
    long scale = body.atLeast("scale", 1, 1);
    body.ignore("verbose", "waitForLock", "numericOnly");
    body.finish();
    var namespace = new Namespace(context.database(), collection);
    CollectionStore found = databases.find(namespace.database(), collection);
    ViewErrors.requireCollection(found);
    var reply = new BsonDocument("ns", new BsonString(namespace.toString()));
    return found == null ? missing(reply, scale) : statistics(reply, found, scale);
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

  /** The storage part, which {@code $collStats} shows too. */
  static BsonDocument statistics(BsonDocument reply, CollectionStore collection, long scale) {
    Sizes sizes = Sizes.of(collection);
    BsonDocument options = collection.info().options();
    reply
        .append("size", Numbers.intOrLong(sizes.bytes() / scale))
        .append("count", Numbers.intOrLong(sizes.documents()));
    if (sizes.documents() > 0) {
      reply.append("avgObjSize", Numbers.intOrLong(sizes.bytes() / sizes.documents()));
    }
    reply
        .append("numOrphanDocs", new BsonInt32(0))
        .append("storageSize", Numbers.intOrLong(sizes.bytes() / scale))
        .append("freeStorageSize", new BsonInt32(0))
        .append("capped", BsonBoolean.valueOf(CollectionOptions.isTrue(options, "capped")));
    if (CollectionOptions.isTrue(options, "capped")) {
      BsonValue max = options.getOrDefault("max", new BsonInt64(0));
      reply
          .append("max", Numbers.intOrLong(max.asNumber().longValue()))
          .append("maxSize", Numbers.intOrLong(options.getNumber("size").longValue() / scale));
    }
    var details = new BsonDocument();
    var indexSizes = new BsonDocument();
    sizes
        .indexBytes()
        .forEach(
            (name, bytes) -> {
              details.append(name, new BsonDocument());
              indexSizes.append(name, Numbers.intOrLong(bytes / scale));
            });
    return reply
        .append("nindexes", new BsonInt32(indexSizes.size()))
        .append("indexDetails", details)
        .append("indexBuilds", builds(collection))
        .append("totalIndexSize", Numbers.intOrLong(sizes.totalIndexBytes() / scale))
        .append("indexSizes", indexSizes)
        .append("totalSize", Numbers.intOrLong(sizes.totalBytes() / scale))
        .append("scaleFactor", Numbers.intOrLong(scale));
  }

  private static BsonArray builds(CollectionStore collection) {
    var names = new BsonArray();
    collection.info().indexes().stream()
        .filter(index -> !index.ready())
        .forEach(index -> names.add(new BsonString(index.spec().name())));
    return names;
  }
}
