package dev.orrery.storage.reshape;

import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.ThroughputShares;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.physical.PhysicalPartition;
import dev.orrery.storage.physical.SplitMirror;
import dev.orrery.storage.physical.Successor;
import java.util.ArrayList;
import java.util.List;

/** Divides a partition in two at a key. The children's records keep their ids. */
public final class PartitionSplit {
  private final EngineParts engine;
  private final ChronicleCollection collection;

  public PartitionSplit(EngineParts engine, ChronicleCollection collection) {
    this.engine = engine;
    this.collection = collection;
  }

  public void run(int partitionId, String boundary, Takeover.Pauses pauses) {
    collection.structureLock().lock();
    try {
      collection.requireExists();
      PhysicalPartition parent = collection.require(partitionId);
      if (!parent.range().contains(boundary) || boundary.equals(parent.range().minInclusive())) {
        throw new IllegalArgumentException(boundary + " does not divide " + parent.range());
      }
      split(parent, boundary, pauses);
    } finally {
      collection.structureLock().unlock();
    }
  }

  private void split(PhysicalPartition parent, String boundary, Takeover.Pauses pauses) {
    PartitionMap map = collection.info().partitions().split(parent.id(), boundary, 0);
    List<PhysicalPartition> children = new ArrayList<>();
    for (PartitionMap.Entry entry : map.entries()) {
      if (entry.id() >= map.nextId() - 2) {
        children.add(engine.all().partition(collection.info().id(), entry, collection::info));
      }
    }
    new Takeover(engine, collection, List.of(parent), children)
        .run(
            new Takeover.Change() {
              @Override
              public SplitMirror mirror(PhysicalPartition ignored) {
                return new SplitMirror(collection, children);
              }

              @Override
              public CollectionInfo apply(CollectionInfo info) {
                long givenIds = parent.files().givenIds();
                PartitionMap map = info.partitions().split(parent.id(), boundary, givenIds);
                var ids = children.stream().map(PhysicalPartition::id).toList();
                return info.withPartitions(map)
                    .withThroughput(ThroughputShares.split(info.throughput(), parent.id(), ids));
              }

              @Override
              public List<Successor> successors(PhysicalPartition ignored) {
                return children.stream().map(Successor::ofSplit).toList();
              }
            },
            pauses);
  }
}
