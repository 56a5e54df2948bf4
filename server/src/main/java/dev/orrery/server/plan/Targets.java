package dev.orrery.server.plan;

import dev.orrery.language.query.Equalities;
import dev.orrery.language.query.Filter;
import dev.orrery.server.synthetic.SyntheticKey;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the documents of a query can be: partitions, and within them primary keys. Who admits the
 * query and who plans it share one, so that what is asked is what was allowed, and each key is
 * hashed once. Used by one thread at a time, and for one plan: a split may move what it found.
 */
public final class Targets {
  private static final FieldPath ID = FieldPath.parse("_id");
  private static final int KEYS_MAX = 100;

  private final Query.Source source;
  private final CollectionStore collection;
  private final Filter filter;

  /** The one value of the partition key; null when there may be several or none. */
  private final @Nullable RawValue key;

  /** The values of which the partition key must have one; null when any will do. */
  private final @Nullable List<@Nullable RawValue> partitionKeys;

  /** The owner of each partition key, as far as somebody asked. */
  private final PartitionStore @Nullable [] owners;

  private @Nullable List<PartitionStore> partitions;
  private @Nullable Filter derived;

  private Targets(
      Query.Source source,
      Filter filter,
      @Nullable RawValue key,
      @Nullable List<@Nullable RawValue> partitionKeys) {
    this.source = source;
    this.collection = source.collection();
    this.filter = filter;
    this.key = key;
    this.partitionKeys = partitionKeys;
    this.owners = partitionKeys == null ? null : new PartitionStore[partitionKeys.size()];
  }

  public static Targets of(Query query) {
    return of(query.source(), query.criteria().filter());
  }

  private static Targets of(Query.Source source, Filter filter) {
    String path = source.collection().info().partitionKey();
    if (path == null) {
      var none = new ArrayList<@Nullable RawValue>(1);
      none.add(null);
      return new Targets(source, filter, null, none);
    }
    List<RawValue> fixed = Equalities.fixedValues(filter, FieldPath.parse(path));
    Filter derived = null;
    if (fixed == null) {
      SyntheticKey synthetic = SyntheticKey.of(source.collection().info());
      fixed = synthetic == null ? null : synthetic.derive(filter);
      if (fixed == null) {
        return new Targets(source, filter, null, null);
      }
      derived = synthetic.filter(fixed);
    }
    var keys = new ArrayList<@Nullable RawValue>(fixed.size() + 1);
    for (RawValue value : fixed) {
      keys.add(value);
      if (value.type() == RawTypes.NULL) {
        keys.add(null); // a missing field equals null, and lives elsewhere
      }
    }
    var targets = new Targets(source, filter, fixed.size() == 1 ? fixed.get(0) : null, keys);
    targets.derived = derived;
    return targets;
  }

  /** What follows of the partition key from other fields, if it does and the filter has it not. */
  @Nullable Filter derived() {
    return derived;
  }

  public CollectionStore collection() {
    return collection;
  }

  /** The one value of the partition key; null when there may be several or none. */
  public @Nullable RawValue key() {
    return key;
  }

  /** The partitions to ask; at least one, so that every plan has somewhere to run. */
  public List<PartitionStore> partitions() {
    if (partitions == null) {
      partitions = findPartitions();
    }
    return partitions;
  }

  private List<PartitionStore> findPartitions() {
    List<PartitionStore> all = source.view().partitions(collection);
    if (partitionKeys == null || collection.info().partitionKey() == null || all.size() < 2) {
      return all;
    }
    if (partitionKeys.isEmpty()) {
      return all.subList(0, 1);
    }
    var found = new ArrayList<PartitionStore>();
    for (int i = 0; i < partitionKeys.size(); i++) {
      found.add(owner(i));
    }
    return distinct(found);
  }

  /** Each partition once, by its number: an engine may have several objects for one. */
  static List<PartitionStore> distinct(List<PartitionStore> partitions) {
    var byId = new LinkedHashMap<Integer, PartitionStore>();
    partitions.forEach(one -> byId.putIfAbsent(one.id(), one));
    return List.copyOf(byId.values());
  }

  private PartitionStore owner(int index) {
    PartitionStore owner = owners[index];
    if (owner == null) {
      owner = source.view().partitionOf(collection, partitionKeys.get(index));
      owners[index] = owner;
    }
    return owner;
  }

  /**
   * The primary keys to read: none when nothing can match; null when the filter leaves them open,
   * or names too many.
   */
  @Nullable List<PrimaryKeyLookup.Key> primaryKeys() {
    if (partitionKeys == null) {
      return null;
    }
    if (partitionKeys.isEmpty()) {
      return List.of();
    }
    List<RawValue> ids = Equalities.fixedValues(filter, ID);
    if (ids == null || (long) partitionKeys.size() * ids.size() > KEYS_MAX) {
      return null;
    }
    if (partitionKeys.size() == 1 && ids.size() == 1) {
      return List.of(key(0, ids.get(0)));
    }
    var keys = new LinkedHashMap<ByteBuffer, PrimaryKeyLookup.Key>(); // clauses may repeat a key
    for (int i = 0; i < partitionKeys.size(); i++) {
      for (RawValue id : ids) {
        PrimaryKeyLookup.Key one = key(i, id);
        keys.put(ByteBuffer.wrap(one.primaryKey()), one);
      }
    }
    return List.copyOf(keys.values());
  }

  private PrimaryKeyLookup.Key key(int index, RawValue id) {
    return new PrimaryKeyLookup.Key(
        owner(index), collection.primaryKey(partitionKeys.get(index), id));
  }
}
