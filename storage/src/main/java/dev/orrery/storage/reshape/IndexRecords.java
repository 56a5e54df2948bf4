package dev.orrery.storage.reshape;

import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.structure.PartitionFiles;
import java.util.ArrayList;

/** Changes what the catalog says of indexes that are there; the engine's lock must be held. */
public final class IndexRecords {
  private final EngineParts engine;
  private final ChronicleCollection collection;

  public IndexRecords(EngineParts engine, ChronicleCollection collection) {
    this.engine = engine;
    this.collection = collection;
  }

  /** Drops an index by name; false when there is none. */
  public boolean drop(String name) {
    collection.requireExists();
    CollectionInfo info = collection.info();
    IndexEntry dropped = info.index(name);
    if (dropped == null || !dropped.ready()) {
      return false;
    }
    var rest = new ArrayList<>(info.indexes());
    rest.remove(dropped);
    engine.catalog().describeFreeing(collection, info.withIndexes(rest));
    engine.all().removeIndex(collection, dropped.id());
    return true;
  }

  /** Replaces the description of an index whose keys stay the same. */
  public void alter(IndexSpec altered) {
    collection.requireExists();
    CollectionInfo info = collection.info();
    IndexEntry present = info.index(altered.name());
    if (present == null || !present.spec().hasKeysOf(altered)) {
      throw PartitionFiles.dropped(altered);
    }
    var entries = new ArrayList<IndexEntry>();
    for (IndexEntry entry : info.indexes()) {
      boolean isIt = entry.spec().name().equals(altered.name());
      entries.add(isIt ? new IndexEntry(entry.id(), altered, entry.ready()) : entry);
    }
    engine.catalog().describeIndexes(collection, info.withIndexes(entries));
  }
}
