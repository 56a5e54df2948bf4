package dev.orrery.server.command.cosmos;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.throughput.Governor;
import dev.orrery.server.throughput.Throughput;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.PartitionStore.LargestKey;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonUndefined;

/**
 * {@code listPartitions}: the physical partitions of a collection, in the order of their ranges.
 */
final class ListPartitionsCommand implements Command {
  private final Databases databases;

  ListPartitionsCommand(Databases databases) {
    this.databases = databases;
  }

  @Override
  public Spec spec() {
    return Spec.of("listPartitions", Access.READ, Trait.LONG);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String name = body.collection();
    body.finish();
    CollectionStore collection = Partitions.require(databases, context.database(), name);
    Throughput own = Throughput.fromBson(collection.info().throughput());
    Map<Integer, Long> rates =
        Governor.rates(own, collection.info().partitions(), databases.provisioning());
    var list = new BsonArray();
    for (PartitionStore partition : collection.partitions()) {
      BsonDocument entry = describe(collection, partition);
      Long rate = rates.get(partition.id());
      if (own.isProvisioned() && rate != null) {
        entry
            .append("throughputFraction", new BsonDouble((double) rate / own.unitsPerSecond()))
            .append("throughput", new BsonInt64(rate));
      }
      list.add(entry);
    }
    var reply = new BsonDocument("ns", new BsonString(collection.info().namespace().toString()));
    String path = collection.info().partitionKey();
    if (path != null) {
      reply.append("shardKeyDefinition", new BsonDocument(path, new BsonString("hashed")));
    }
    return reply.append("partitions", list);
  }

  private static BsonDocument describe(CollectionStore collection, PartitionStore partition) {
    var parents = new BsonArray();
    Partitions.parents(collection, partition.id()).forEach(id -> parents.add(new BsonInt32(id)));
    PartitionStatistics statistics = partition.statistics();
    var entry =
        new BsonDocument("id", new BsonInt32(partition.id()))
            .append("minInclusive", new BsonString(partition.range().minInclusive()))
            .append("maxExclusive", new BsonString(partition.range().maxExclusive()))
            .append("parents", parents)
            .append("status", new BsonString("online"))
            .append("documents", new BsonInt64(statistics.documents()))
            .append("bytes", new BsonInt64(statistics.bytes()))
            .append("keys", new BsonInt64(statistics.keys()));
    LargestKey largest = partition.largestKey();
    if (largest != null && largest.documents() > 0) {
      entry.append("largestKey", describe(largest));
    }
    return entry;
  }

  /** A missing key, and one too long to be kept, are shown by leaving them out. */
  private static BsonDocument describe(LargestKey largest) {
    var entry = new BsonDocument();
    if (largest.value() != null && !(largest.value() instanceof BsonUndefined)) {
      entry.append("key", largest.value());
    }
    return entry
        .append("documents", new BsonInt64(largest.documents()))
        .append("bytes", new BsonInt64(largest.bytes()));
  }
}
