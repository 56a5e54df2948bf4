package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.throughput.Throughput;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bson.BsonDocument;

/**
 * {@code setPartitionThroughput}: gives single partitions a share of their own; the others divide
 * the rest evenly. An empty list makes all equal again.
 */
final class SetPartitionThroughputCommand implements Command {
  private static final long LEAST = 100;

  private final Databases databases;

  SetPartitionThroughputCommand(Databases databases) {
    this.databases = databases;
  }

  @Override
  public Spec spec() {
    return Spec.of("setPartitionThroughput", Access.ADMIN, Trait.LONG);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String name = body.collection();
    List<RawDocument> items = body.requireDocuments("partitions");
    var asked = new TreeMap<Integer, Long>();
    for (RawDocument item : items) {
      CommandReader fields = body.element("partitions", item);
      long id = fields.int64("id", -1);
      asked.put(Math.toIntExact(id), fields.int64("throughput", 0));
      fields.finish();
    }
    body.finish();
    CollectionStore collection = Partitions.require(databases, context.database(), name);
    asked.keySet().forEach(id -> Partitions.require(collection, id));
    databases
        .engine()
        .update(
            collection,
            info -> {
              Throughput present = Throughput.fromBson(info.throughput());
              require(present, asked, info.partitions().size());
              return info.withThroughput(present.withShares(asked).toBson());
            });
    context.awaitDurable(databases.engine().receipt());
    return new BsonDocument();
  }

  private void require(Throughput present, Map<Integer, Long> asked, int partitions) {
    if (!present.isProvisioned()) {
      throw new CommandException(
          ErrorCode.ILLEGAL_OPERATION, "the collection has no throughput of its own to divide");
    }
    long most = databases.provisioning().partitionUnits();
    long sum = 0;
    for (long units : asked.values()) {
      if (units < LEAST || units > most) {
        throw new CommandException(
            ErrorCode.BAD_VALUE,
            "the throughput of a partition must be between %d and %d RU/s, found: %d"
                .formatted(LEAST, most, units));
      }
      sum += units;
    }
    long rest = present.unitsPerSecond() - sum;
    if (rest < 0 || partitions > asked.size() && rest < partitions - asked.size()) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "the shares add up to %d RU/s, but only %d are provisioned"
              .formatted(sum, present.unitsPerSecond()));
    }
  }
}
