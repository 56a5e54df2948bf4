package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.RawNumbers;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.throughput.Throughput;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/** {@code mergePartitions}: makes one physical partition out of two whose ranges are neighbours. */
final class MergePartitionsCommand implements Command {
  private final Databases databases;

  MergePartitionsCommand(Databases databases) {
    this.databases = databases;
  }

  @Override
  public Spec spec() {
    return Spec.of("mergePartitions", Access.ADMIN, Trait.LONG);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String name = body.collection();
    List<Long> ids = ids(body);
    body.finish();
    CollectionStore collection = Partitions.requireSharded(databases, context.database(), name);
    PartitionStore first = Partitions.require(collection, ids.get(0));
    PartitionStore second = Partitions.require(collection, ids.get(1));
    if (!areNeighbours(first, second) && !areNeighbours(second, first)) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "cannot merge the partitions %d and %d, whose ranges are not adjacent"
              .formatted(first.id(), second.id()));
    }
    requireSpare(collection);
    int merged =
        databases.engine().merge(collection, first.id(), second.id(), context.operation()::check);
    return new BsonDocument("partition", new BsonInt32(merged));
  }

  private static List<Long> ids(CommandReader body) {
    var ids = new ArrayList<Long>();
    for (RawValue value : body.requireArray("partitions")) {
      if (!value.isNumber()) {
        throw new CommandException(
            ErrorCode.TYPE_MISMATCH, "'partitions' must be an array of two partition numbers");
      }
      ids.add(RawNumbers.toLong(value));
    }
    if (ids.size() != 2) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "'partitions' must be an array of two partition numbers");
    }
    return ids;
  }

  private static boolean areNeighbours(PartitionStore lower, PartitionStore upper) {
    return lower.range().maxExclusive().equals(upper.range().minInclusive());
  }

  /** Throughput needs its number of partitions: less could not spend it. */
  private void requireSpare(CollectionStore collection) {
    Throughput own = Throughput.fromBson(collection.info().throughput());
    String database = collection.info().namespace().database();
    Throughput throughput = own.isProvisioned() ? own : databases.throughputs().of(database);
    int needed = throughput.partitions(databases.provisioning().partitionUnits());
    if (collection.partitions().size() <= needed) {
      throw new CommandException(
          ErrorCode.ILLEGAL_OPERATION,
          "cannot merge partitions: %d RU/s need at least %d of them"
              .formatted(throughput.unitsPerSecond(), needed));
    }
  }
}
