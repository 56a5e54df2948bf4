package dev.orrery.storage.postgres;

import dev.orrery.storage.PartitionStatistics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What this server last heard of partitions, by their numbers in the database. */
final class PartFacts {
  private record IndexOf(long part, int index) {}

  private final Map<Long, PartitionStatistics> sizes = new ConcurrentHashMap<>();
  private final Map<IndexOf, Seen> seen = new ConcurrentHashMap<>();
  private final Map<IndexOf, Seen> stored = new ConcurrentHashMap<>();

  void heard(long part, PartitionStatistics statistics) {
    sizes.put(part, statistics);
  }

  @Nullable PartitionStatistics sizes(long part) {
    return sizes.get(part);
  }

  /** What can be relied on; null when the database was not asked yet. */
  @Nullable Seen seen(long part, int index) {
    var of = new IndexOf(part, index);
    return stored.containsKey(of) ? seen.get(of) : null;
  }

  /** What is known to be in the database; null for nothing. */
  @Nullable Seen stored(long part, int index) {
    return stored.get(new IndexOf(part, index));
  }

  void isStored(long part, int index, Seen bits) {
    saw(part, index, bits);
    stored.merge(new IndexOf(part, index), bits, Seen::with);
  }

  /** Adds what was seen; before it is to be found in the index. */
  void saw(long part, int index, Seen more) {
    seen.merge(new IndexOf(part, index), more, Seen::with);
  }

  void forget(long part) {
    sizes.remove(part);
    seen.keySet().removeIf(one -> one.part == part);
    stored.keySet().removeIf(one -> one.part == part);
  }
}
