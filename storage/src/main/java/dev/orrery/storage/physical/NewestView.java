package dev.orrery.storage.physical;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.View;
import dev.orrery.storage.log.Log;
import dev.orrery.value.RawValue;
import java.util.List;

/** The newest state: every read sees what was committed when it was made. */
public final class NewestView implements View {
  private final Log log;

  public NewestView(Log log) {
    this.log = log;
  }

  @Override
  public List<PartitionStore> partitions(CollectionStore collection) {
    return collection.partitions();
  }

  @Override
  public PartitionStore partitionOf(CollectionStore collection, RawValue partitionKey) {
    return collection.partitionOf(partitionKey);
  }

  @Override
  public long time() {
    return log.last().time();
  }

  @Override
  public void close() {}
}
