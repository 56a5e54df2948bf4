package dev.orrery.server.plan;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.catalog.IndexSpec;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * How often plans made use of each index since the server started, or since the index was first
 * seen, and how often they read a collection without one. Any thread may use it.
 */
public final class IndexUses {
  /** How often an index was used, and since when that is counted. */
  public record Use(long operations, long sinceMillis) {}

  /** How often a whole collection was read; by a cursor that goes on at its end, too. */
  public record Scans(long all, long tailable) {}

  private record ScanCounter(LongAdder all, LongAdder tailable) {}

  private record Counter(LongAdder operations, long sinceMillis) {}

  private record Key(UUID collection, int index) {}

  private final Clock clock;
  private final long startMillis;
  private final Map<Key, Counter> counters = new ConcurrentHashMap<>();
  private final Map<UUID, Integer> seen = new ConcurrentHashMap<>();
  private final Map<UUID, ScanCounter> scans = new ConcurrentHashMap<>();

  IndexUses(Clock clock) {
    this.clock = clock;
    this.startMillis = clock.millis();
  }

  void add(CollectionStore collection, List<IndexSpec> used) {
    for (IndexSpec index : used) {
      for (IndexEntry entry : collection.info().indexes()) {
        if (entry.spec().name().equals(index.name())) {
          counter(collection, entry.id()).operations.increment();
        }
      }
    }
  }

  void addScan(CollectionStore collection) {
    scanCounter(collection).all.increment();
  }

  /** Counts a scan that is to go on at the end of the collection. */
  public void addTailableScan(CollectionStore collection) {
    ScanCounter counter = scanCounter(collection);
    counter.all.increment();
    counter.tailable.increment();
  }

  public Scans scans(CollectionStore collection) {
    ScanCounter counter = scanCounter(collection);
    return new Scans(counter.all.sum(), counter.tailable.sum());
  }

  private ScanCounter scanCounter(CollectionStore collection) {
    return scans.computeIfAbsent(
        collection.info().uuid(), any -> new ScanCounter(new LongAdder(), new LongAdder()));
  }

  /** Counts a lookup by primary key, which is a use of the index on {@code _id}. */
  public void addLookup(CollectionStore collection) {
    for (IndexEntry entry : collection.info().indexes()) {
      if (entry.spec().isIdIndex()) {
        counter(collection, entry.id()).operations.increment();
        return;
      }
    }
  }

  /** What is known of an index of a collection. */
  public Use of(CollectionStore collection, IndexSpec index) {
    for (IndexEntry entry : collection.info().indexes()) {
      if (entry.spec().name().equals(index.name())) {
        Counter counter = counter(collection, entry.id());
        return new Use(counter.operations.sum(), counter.sinceMillis);
      }
    }
    return new Use(0, startMillis);
  }

  private Counter counter(CollectionStore collection, int index) {
    UUID uuid = collection.info().uuid();
    Counter known = counters.get(new Key(uuid, index));
    return known != null ? known : begin(collection, uuid, index);
  }

  /** Indexes that are there when their collection is first used are as old as the server. */
  private Counter begin(CollectionStore collection, UUID uuid, int index) {
    int first = seen.computeIfAbsent(uuid, any -> collection.info().nextIndexId());
    long since = index < first ? startMillis : clock.millis();
    return counters.computeIfAbsent(
        new Key(uuid, index), any -> new Counter(new LongAdder(), since));
  }
}
