package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.partition.EffectivePartitionKey;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/** {@code splitPartition}: divides one physical partition in two, in the middle or at a key. */
final class SplitPartitionCommand implements Command {
  private final Databases databases;
  private final PartitionedCollections collections;

  SplitPartitionCommand(Databases databases, PartitionedCollections collections) {
    this.databases = databases;
    this.collections = collections;
  }

  @Override
  public Spec spec() {
    return Spec.of("splitPartition", Access.ADMIN, Trait.LONG);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String name = body.collection();
    long id = body.int64("partition", -1);
    String at = body.string("at");
    body.finish();
    CollectionStore collection = Partitions.requireSharded(databases, context.database(), name);
    PartitionStore parent = Partitions.require(collection, id);
    EffectivePartitionKey boundary =
        at == null ? PartitionedCollections.middle(parent.range()) : parse(at);
    collections.split(collection, parent, boundary, context.operation());
    var children = new BsonArray();
    for (PartitionStore partition : collection.partitions()) {
      if (Partitions.parents(collection, partition.id()).contains(parent.id())) {
        children.add(new BsonInt32(partition.id()));
      }
    }
    return new BsonDocument("children", children);
  }

  private static EffectivePartitionKey parse(String hex) {
    try {
      return EffectivePartitionKey.parse(hex);
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "'at' is not an effective partition key: " + e.getMessage());
    }
  }
}
