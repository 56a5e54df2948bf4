package dev.orrery.storage.unkind;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.View;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What was committed at a point. */
final class UnkindView implements View {
  private final UnkindWorld world;
  final long sequence;
  private final long time;
  private boolean isClosed;

  UnkindView(UnkindWorld world, long sequence, long time) {
    this.world = world;
    this.sequence = sequence;
    this.time = time;
  }

  @Override
  public List<PartitionStore> partitions(CollectionStore collection) {
    var of = (UnkindCollection) collection;
    of.requireExists();
    return of.partitions(sequence);
  }

  @Override
  public PartitionStore partitionOf(CollectionStore collection, @Nullable RawValue partitionKey) {
    var of = (UnkindCollection) collection;
    of.requireExists();
    return of.partitionOf(partitionKey, sequence);
  }

  @Override
  public boolean has(CollectionStore collection, IndexSpec index) {
    var of = (UnkindCollection) collection;
    synchronized (world) {
      UnkindIndex found = of.index(index.name());
      return found != null && found.since <= sequence;
    }
  }

  @Override
  public boolean hasSame(Namespace namespace) {
    synchronized (world) {
      return world.renamed.getOrDefault(namespace, 0L) <= sequence;
    }
  }

  @Override
  public long time() {
    return time;
  }

  @Override
  public void close() {
    synchronized (world) {
      if (!isClosed) {
        isClosed = true;
        world.unpin(sequence);
      }
    }
  }
}
