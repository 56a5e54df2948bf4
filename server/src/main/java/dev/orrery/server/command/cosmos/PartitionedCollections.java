package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.operation.Operation;
import dev.orrery.server.throughput.Throughput;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.partition.EffectivePartitionKey;
import dev.orrery.storage.partition.EpkRange;
import dev.orrery.value.Namespace;
import java.util.Comparator;
import java.util.List;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** Creates collections with a partition key, and splits their partitions. */
final class PartitionedCollections {
  private final Databases databases;

  PartitionedCollections(Databases databases) {
    this.databases = databases;
  }

  /**
   * What is to be created.
   *
   * @param partitionKey null for one implicit key
   * @param partitions how many at least
   */
  record Plan(
      BsonDocument options,
      @Nullable String partitionKey,
      List<IndexSpec> indexes,
      int partitions,
      Throughput throughput) {
    static Plan of(@Nullable String partitionKey, Throughput throughput) {
      return new Plan(
          new BsonDocument(), partitionKey, List.of(IndexSpec.idIndex()), 1, throughput);
    }

    Plan withIndexes(List<IndexSpec> to) {
      return new Plan(options, partitionKey, to, partitions, throughput);
    }

    Plan withOptions(BsonDocument to) {
      return new Plan(to, partitionKey, indexes, partitions, throughput);
    }

    Plan withPartitions(int to) {
      return new Plan(options, partitionKey, indexes, to, throughput);
    }
  }

  /** Creates the collection with as many partitions as its throughput takes; null when taken. */
  @Nullable CollectionStore create(Namespace namespace, Plan plan) {
    return databases.create(namespace, creation(namespace, plan));
  }

  /** What the engine is told to create. */
  CollectionInfo.Creation creation(Namespace namespace, Plan plan) {
    Throughput shared = databases.throughputs().of(namespace.database());
    int needed = databases.provisioning().partitions(plan.partitionKey, plan.throughput, shared);
    return new CollectionInfo.Creation(
        plan.options,
        plan.partitionKey,
        plan.indexes,
        Math.max(needed, plan.partitions),
        plan.throughput.toBson());
  }

  /** Splits the widest partitions until there are enough for that throughput. */
  void growTo(CollectionStore collection, Throughput throughput, Operation operation) {
    if (collection.info().partitionKey() == null || collection.info().isView()) {
      return;
    }
    int needed = throughput.partitions(databases.provisioning().partitionUnits());
    while (collection.partitions().size() < needed) {
      PartitionStore widest =
          collection.partitions().stream()
              .max(Comparator.comparing(partition -> width(partition.range())))
              .orElseThrow();
      split(collection, widest, middle(widest.range()), operation);
    }
  }

  /** Splits a partition, unless the operation is killed before that is done. */
  void split(
      CollectionStore collection,
      PartitionStore partition,
      EffectivePartitionKey at,
      Operation operation) {
    String boundary = at.toString();
    EpkRange range = partition.range();
    if (!range.contains(boundary) || range.minInclusive().equals(boundary)) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "cannot split partition %d at '%s', which is not inside of its range ['%s', '%s')"
              .formatted(partition.id(), boundary, range.minInclusive(), range.maxExclusive()));
    }
    databases.engine().split(collection, partition.id(), boundary, operation::check);
  }

  static EffectivePartitionKey middle(EpkRange range) {
    return EffectivePartitionKey.middle(begin(range), end(range));
  }

  private static EffectivePartitionKey begin(EpkRange range) {
    return range.minInclusive().equals(EpkRange.BEGIN)
        ? EffectivePartitionKey.MIN
        : EffectivePartitionKey.parse(range.minInclusive());
  }

  private static EffectivePartitionKey end(EpkRange range) {
    return range.maxExclusive().equals(EpkRange.END)
        ? EffectivePartitionKey.MAX
        : EffectivePartitionKey.parse(range.maxExclusive());
  }

  static long width(EpkRange range) {
    return end(range).high() - begin(range).high();
  }
}
