package dev.orrery.server.throughput;

import dev.orrery.storage.CollectionStore;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * What requests spent since it was last asked, by collection, and in each by partition, partition
 * key and shape of the request, the dearest in bounded memory; and of each shape an example.
 * Thread-safe.
 */
public final class UsageLog {
  /** Stands for several partitions of which none is meant. */
  public static final int FAN_OUT = -1;

  /** Of one request; one that writes more documents is known by its first ones. */
  static final int USES_MAX = 1_000;

  private static final int ENTRIES_MAX = 200;
  private static final int COLLECTIONS_MAX = 1_000;
  private static final int EXAMPLES_MAX = 500;
  private static final int EXAMPLE_BYTES_MAX = 8 << 10;

  /** Something that a request spent on one partition key, or on none. */
  record Use(
      CollectionStore collection,
      int partition,
      @Nullable PartitionKeyValue key,
      long twentyFirsts) {}

  /** By what uses are added up. */
  private record Place(int partition, @Nullable PartitionKeyValue key, CommandShape shape) {}

  /**
   * What was spent on one partition key by requests of one shape.
   *
   * @param partition {@link #FAN_OUT} for several
   * @param key undefined for documents that lack it; null when none is meant
   * @param shapeId names the shape; see {@link #example}
   * @param error by how much the units may be too high
   */
  public record Spent(
      int partition,
      @Nullable BsonValue key,
      long shapeId,
      String shape,
      double units,
      double error) {}

  /** What one collection's requests spent. */
  public record Interval(Namespace namespace, List<Spent> spent) {}

  /**
   * A request as it came.
   *
   * @param statement the first of those beside the body, or null
   */
  public record Example(String database, RawDocument body, @Nullable RawDocument statement) {}

  private Map<UUID, Counted> present = new HashMap<>();
  private final Map<Long, Example> examples = leastRecent(EXAMPLES_MAX);

  private record Counted(Namespace namespace, TopCounts<Place> counts) {}

  private static <K, V> Map<K, V> leastRecent(int most) {
    return new LinkedHashMap<>(16, 0.75f, true) {
      private static final long serialVersionUID = 1L;

      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
      }
    };
  }

  /** Adds what a request spent. */
  synchronized void add(List<Use> uses, CommandShape shape, Metering.Origin origin) {
    for (Use use : uses) {
      TopCounts<Place> counts = counts(use.collection);
      if (counts != null) {
        counts.add(
            new Place(use.partition, use.key, shape),
            new Metering.Cost(use.twentyFirsts, 1),
            0,
            place -> described(place, origin));
      }
    }
    if (!uses.isEmpty() && !examples.containsKey(shape.id())) {
      keep(uses.get(0).collection, shape, origin);
    }
  }

  private @Nullable TopCounts<Place> counts(CollectionStore collection) {
    UUID id = collection.info().uuid();
    Counted counted = present.get(id);
    if (counted == null && present.size() < COLLECTIONS_MAX) {
      counted = new Counted(collection.info().namespace(), new TopCounts<>(ENTRIES_MAX));
      present.put(id, counted);
    }
    return counted == null ? null : counted.counts;
  }

  private static Place described(Place place, Metering.Origin origin) {
    return new Place(
        place.partition, place.key, place.shape.described(origin.body(), origin.statement()));
  }

  private void keep(CollectionStore collection, CommandShape shape, Metering.Origin origin) {
    RawDocument statement = origin.statement();
    int bytes = origin.body().length() + (statement == null ? 0 : statement.length());
    if (bytes <= EXAMPLE_BYTES_MAX) {
      examples.put(
          shape.id(),
          new Example(
              collection.info().namespace().database(),
              RawDocument.wrap(origin.body().toByteArray()),
              statement == null ? null : RawDocument.wrap(statement.toByteArray())));
    }
  }

  /** A request of that shape; null when none is kept, as very long ones are not. */
  public synchronized @Nullable Example example(long shapeId) {
    return examples.get(shapeId);
  }

  /** What was spent since the last call, by collection. */
  public Map<UUID, Interval> take() {
    Map<UUID, Counted> taken;
    synchronized (this) {
      taken = present;
      present = new HashMap<>();
    }
    var intervals = new HashMap<UUID, Interval>();
    taken.forEach(
        (id, counted) -> {
          var list = new ArrayList<Spent>();
          for (TopCounts.Entry<Place> entry : counted.counts.top(ENTRIES_MAX)) {
            list.add(spent(entry));
          }
          intervals.put(id, new Interval(counted.namespace, list));
        });
    return intervals;
  }

  private static Spent spent(TopCounts.Entry<Place> entry) {
    Place place = entry.key();
    PartitionKeyValue key = place.key;
    return new Spent(
        place.partition,
        key == null ? null : key.value(),
        place.shape.id(),
        place.shape.text(),
        new RequestCharge(entry.sum()).toDouble(),
        new RequestCharge(entry.error()).toDouble());
  }

  /** Whether a value stands for documents that lack the key. */
  public static boolean isMissing(@Nullable BsonValue key) {
    return key instanceof BsonUndefined;
  }
}
