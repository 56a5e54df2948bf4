package dev.orrery.server.throughput;

import dev.orrery.server.query.Equalities;
import dev.orrery.server.query.Filter;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.value.FieldPath;
import dev.orrery.storage.value.RawTypes;
import dev.orrery.storage.value.RawValue;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a request goes.
 *
 * @param key the one value of the partition key, or null when there may be several or none
 */
record Targets(List<PartitionStore> partitions, @Nullable PartitionKeyValue key) {
  /** The partitions that documents which match can be in. */
  static Targets of(CollectionStore collection, Filter filter) {
    String path = collection.info().partitionKey();
    List<RawValue> values =
        path == null ? null : Equalities.fixedValues(filter, FieldPath.parse(path));
    if (values == null || values.isEmpty()) {
      return new Targets(collection.partitions(), null);
    }
    var partitions = new LinkedHashSet<PartitionStore>();
    for (RawValue value : values) {
      partitions.add(collection.partitionOf(value));
      if (value.type() == RawTypes.NULL) {
        partitions.add(collection.partitionOf(null)); // a missing field is null to a filter
      }
    }
    return new Targets(
        List.copyOf(partitions), values.size() == 1 ? PartitionKeyValue.of(values.get(0)) : null);
  }
}
