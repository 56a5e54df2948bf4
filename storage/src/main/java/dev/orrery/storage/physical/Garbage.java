package dev.orrery.storage.physical;

import dev.orrery.storage.log.Log;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * How many bytes of each log segment are of no more use. An estimate that decides where compaction
 * pays; what is really dead is decided record by record.
 */
public final class Garbage {
  /** What a record takes in the log besides its document: header, meta, its share of the group. */
  public static final int RECORD_OVERHEAD_BYTES = 56;

  private final Map<Long, LongAdder> deadBytes = new ConcurrentHashMap<>();

  /** A document at that position was replaced, deleted or moved. */
  public void add(long position, int documentBytes) {
    addBytes(Log.segmentOf(position), documentBytes + RECORD_OVERHEAD_BYTES);
  }

  public void addBytes(long segment, long bytes) {
    deadBytes.computeIfAbsent(segment, absent -> new LongAdder()).add(bytes);
  }

  public long of(long segment) {
    LongAdder bytes = deadBytes.get(segment);
    return bytes == null ? 0 : bytes.sum();
  }

  public void forget(long segment) {
    deadBytes.remove(segment);
  }

  public Map<Long, Long> snapshot() {
    var copy = new TreeMap<Long, Long>();
    deadBytes.forEach((segment, bytes) -> copy.put(segment, bytes.sum()));
    return copy;
  }
}
