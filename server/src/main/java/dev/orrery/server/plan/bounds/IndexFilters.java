package dev.orrery.server.plan.bounds;

import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.BsonOrder;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Which indexes queries of a shape may use, as {@code planCacheSetFilter} says, until the server
 * stops. Any thread may use it.
 */
public final class IndexFilters {
  private final Map<UUID, Map<String, Entry>> filters = new ConcurrentHashMap<>();

  /**
   * One filter.
   *
   * @param description the query that gave the shape, as it is listed
   * @param indexes key patterns and names
   */
  public record Entry(BsonDocument description, BsonArray indexes) {
    public boolean allows(IndexSpec index) {
      return indexes.stream().anyMatch(one -> isMeant(one, index));
    }

    private static boolean isMeant(BsonValue one, IndexSpec index) {
      return one.isDocument()
          ? List.copyOf(one.asDocument().keySet()).equals(List.copyOf(index.keyPattern().keySet()))
              && BsonOrder.CANONICAL.compare(one, index.keyPattern()) == 0
          : one.equals(new BsonString(index.name()));
    }
  }

  public void set(UUID collection, String shape, Entry entry) {
    filters.compute(
        collection,
        (id, present) -> {
          Map<String, Entry> changed = present == null ? new TreeMap<>() : new TreeMap<>(present);
          changed.put(shape, entry);
          return changed;
        });
  }

  /** Forgets the filter of one shape, if there is one. */
  public void clear(UUID collection, String shape) {
    filters.computeIfPresent(
        collection,
        (id, present) -> {
          var changed = new TreeMap<>(present);
          changed.remove(shape);
          return changed.isEmpty() ? null : changed;
        });
  }

  /** Forgets all of a collection. */
  public void clear(UUID collection) {
    filters.remove(collection);
  }

  /** All of a collection, by their shapes. */
  public List<Entry> list(UUID collection) {
    return List.copyOf(filters.getOrDefault(collection, Map.of()).values());
  }

  /**
   * What queries of a shape may use; null for all.
   *
   * @param shape asked for only if the collection has filters
   */
  public @Nullable Entry find(UUID collection, Supplier<String> shape) {
    Map<String, Entry> present = filters.get(collection);
    return present == null ? null : present.get(shape.get());
  }
}
