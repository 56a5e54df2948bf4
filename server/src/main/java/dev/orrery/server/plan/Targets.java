package dev.orrery.server.plan;

import dev.orrery.server.query.Equalities;
import dev.orrery.server.query.Filter;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.value.FieldPath;
import dev.orrery.storage.value.RawTypes;
import dev.orrery.storage.value.RawValue;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where the documents of a query can be: partitions, and within them primary keys. */
final class Targets {
  private static final FieldPath ID = FieldPath.parse("_id");
  private static final int KEYS_MAX = 100;

  private final CollectionStore collection;
  private final Filter filter;

  /** The values of which the partition key must have one; null when any will do. */
  private final @Nullable List<@Nullable RawValue> partitionKeys;

  Targets(CollectionStore collection, Filter filter) {
    this.collection = collection;
    this.filter = filter;
    this.partitionKeys = partitionKeys();
  }

  private @Nullable List<@Nullable RawValue> partitionKeys() {
    String path = collection.info().partitionKey();
    var keys = new ArrayList<@Nullable RawValue>();
    if (path == null) {
      keys.add(null);
      return keys;
    }
    List<RawValue> fixed = Equalities.fixedValues(filter, FieldPath.parse(path));
    if (fixed == null) {
      return null;
    }
    for (RawValue value : fixed) {
      keys.add(value);
      if (value.type() == RawTypes.NULL) {
        keys.add(null); // a missing field equals null, and lives elsewhere
      }
    }
    return keys;
  }

  /** The partitions to ask; at least one, so that every plan has somewhere to run. */
  List<PartitionStore> partitions() {
    List<PartitionStore> all = collection.partitions();
    if (partitionKeys == null || collection.info().partitionKey() == null || all.size() < 2) {
      return all;
    }
    var targets = new LinkedHashSet<PartitionStore>();
    partitionKeys.forEach(key -> targets.add(collection.partitionOf(key)));
    return targets.isEmpty() ? all.subList(0, 1) : List.copyOf(targets);
  }

  /** The primary keys to read; null when the filter leaves them open, or names too many. */
  @Nullable List<PrimaryKeyLookup.Key> primaryKeys() {
    if (partitionKeys == null) {
      return null;
    }
    List<RawValue> ids = Equalities.fixedValues(filter, ID);
    if (ids == null || (long) partitionKeys.size() * ids.size() > KEYS_MAX) {
      return null;
    }
    if (partitionKeys.size() == 1 && ids.size() == 1) {
      return List.of(key(partitionKeys.get(0), ids.get(0)));
    }
    var keys = new LinkedHashMap<ByteBuffer, PrimaryKeyLookup.Key>(); // clauses may repeat a key
    for (RawValue partitionKey : partitionKeys) {
      for (RawValue id : ids) {
        PrimaryKeyLookup.Key key = key(partitionKey, id);
        keys.put(ByteBuffer.wrap(key.primaryKey()), key);
      }
    }
    return List.copyOf(keys.values());
  }

  private PrimaryKeyLookup.Key key(@Nullable RawValue partitionKey, RawValue id) {
    return new PrimaryKeyLookup.Key(
        collection.partitionOf(partitionKey), collection.primaryKey(partitionKey, id));
  }
}
