package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.collection.WriteTarget;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.partition.PartitionMap;
import java.util.List;

/** Physical partitions as users name them. */
final class Partitions {
  private Partitions() {}

  /** A collection that has partitions: not a view. */
  static CollectionStore require(Databases databases, String database, String name) {
    CollectionStore collection = databases.require(database, name);
    WriteTarget.requireCollection(collection);
    return collection;
  }

  /** A collection with a partition key. */
  static CollectionStore requireSharded(Databases databases, String database, String name) {
    CollectionStore collection = require(databases, database, name);
    if (collection.info().partitionKey() == null) {
      throw new CommandException(
          ErrorCode.NAMESPACE_NOT_SHARDED,
          "Namespace " + collection.info().namespace() + " is not sharded");
    }
    return collection;
  }

  static PartitionStore require(CollectionStore collection, long id) {
    for (PartitionStore partition : collection.partitions()) {
      if (partition.id() == id) {
        return partition;
      }
    }
    throw new CommandException(
        ErrorCode.BAD_VALUE,
        "there is no partition %d in %s".formatted(id, collection.info().namespace()));
  }

  /** All partitions that the partition came from, the oldest first. */
  static List<Integer> parents(CollectionStore collection, int id) {
    for (PartitionMap.Entry entry : collection.info().partitions().entries()) {
      if (entry.id() == id) {
        return entry.parents();
      }
    }
    return List.of();
  }
}
