package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.Sizes;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.DiskRoom;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt64;
import org.bson.BsonString;

/** {@code dbStats}: how much the collections of a database hold together. */
final class DbStatsCommand implements Command {
  private final Databases databases;

  DbStatsCommand(Databases databases) {
    this.databases = databases;
  }

  @Override
  public Spec spec() {
    return Spec.of("dbStats", Access.READ, Trait.LONG).alias("dbstats");
  }

  /** Sums over the collections. */
  private static final class Totals {
    long collections;
    long views;
    long objects;
    long bytes;
    long indexes;
    long indexBytes;

    void add(CollectionStore collection) {
      if (collection.info().isView()) {
        views++;
        return;
      }
      Sizes sizes = Sizes.of(collection);
      collections++;
      objects += sizes.documents();
      bytes += sizes.bytes();
      indexes += sizes.indexBytes().size();
      indexBytes += sizes.totalIndexBytes();
    }
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    long scale = body.atLeast("scale", 1, 1);
    boolean hasFree = body.int64("freeStorage", 0) != 0;
    body.finish();
    var totals = new Totals();
    databases.in(context.database()).forEach(totals::add);
    var reply =
        new BsonDocument("db", new BsonString(context.database()))
            .append("collections", new BsonInt64(totals.collections))
            .append("views", new BsonInt64(totals.views))
            .append("objects", new BsonInt64(totals.objects))
            .append(
                "avgObjSize",
                new BsonDouble(totals.objects == 0 ? 0 : (double) totals.bytes / totals.objects))
            .append("dataSize", scaled(totals.bytes, scale))
            .append("storageSize", scaled(totals.bytes, scale));
    if (hasFree) {
      reply.append("freeStorageSize", scaled(0, scale));
    }
    reply
        .append("indexes", new BsonInt64(totals.indexes))
        .append("indexSize", scaled(totals.indexBytes, scale));
    if (hasFree) {
      reply.append("indexFreeStorageSize", scaled(0, scale));
    }
    reply.append("totalSize", scaled(totals.bytes + totals.indexBytes, scale));
    if (hasFree) {
      reply.append("totalFreeStorageSize", scaled(0, scale));
    }
    DiskRoom disk = databases.engine().diskRoom();
    return reply
        .append("scaleFactor", new BsonInt64(scale))
        .append("fsUsedSize", scaled(disk.usedBytes(), scale))
        .append("fsTotalSize", scaled(disk.totalBytes(), scale));
  }

  private static BsonDouble scaled(long bytes, long scale) {
    return new BsonDouble((double) bytes / scale);
  }
}
