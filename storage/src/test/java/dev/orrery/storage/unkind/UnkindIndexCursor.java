package dev.orrery.storage.unkind;

import dev.orrery.storage.IndexCursor;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.catalog.IndexSpec;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.concurrent.CompletionStage;

/** Entries of an index in one partition, by pages. */
final class UnkindIndexCursor implements IndexCursor {
  private static final int PAGE_MAX = 9;

  /** An entry that was read, and what the index had met by then. */
  private record Loaded(byte[] key, long recordId, PartitionStore.FieldsSeen seen) {}

  private final UnkindPartition partition;
  private final IndexSpec spec;
  private final IndexRange range;
  private final Queue<Loaded> page = new ArrayDeque<>();
  private UnkindIndex opened;
  private UnkindIndex.Entry last;
  private Loaded current;

  /** Nothing before this key is wanted any more; null if all is. */
  private byte[] from;

  UnkindIndexCursor(UnkindPartition partition, IndexSpec spec, IndexRange range) {
    this.partition = partition;
    this.spec = spec;
    this.range = range;
  }

  @Override
  public boolean next(WorkMeter meter) {
    while (!page.isEmpty() && isPassed(page.peek().key)) {
      page.remove();
    }
    Loaded next = page.poll();
    if (next == null) {
      return false;
    }
    meter.examineKeys(1);
    current = next;
    return true;
  }

  private boolean isPassed(byte[] key) {
    if (from == null) {
      return false;
    }
    int order = Arrays.compareUnsigned(key, from);
    return range.reverse() ? order > 0 : order < 0;
  }

  @Override
  public CompletionStage<Boolean> load(WorkMeter meter) {
    return partition
        .world()
        .ask(
            () -> {
              if (!partition.isThere()) {
                return false;
              }
              fill(1 + partition.world().nextInt(PAGE_MAX));
              if (page.isEmpty()) {
                meter.examineKeys(1); // to find the end takes a look
              }
              return !page.isEmpty();
            });
  }

  /** All that are left; the world must be locked. */
  long count() {
    long before = page.size();
    fill(Integer.MAX_VALUE);
    return page.size() - before;
  }

  private void fill(int size) {
    UnkindIndex index = opened == null ? partition.require(spec) : opened;
    opened = index;
    if (index.isDropped) { // also if there is another one of the same name by now
      throw UnkindPartition.dropped(spec);
    }
    for (Map.Entry<UnkindIndex.Entry, UnkindRecord> each : rest(index).entrySet()) {
      if (page.size() == size || isBeyond(each.getKey().key())) {
        return;
      }
      last = each.getKey();
      UnkindRecord record = each.getValue();
      UnkindRecord.Version version = record.at(partition.sequence);
      if (version != null && partition.owns(record) && index.has(version, last.key())) {
        page.add(new Loaded(last.key(), record.id, index.seen));
      }
    }
  }

  /** What comes behind the last entry, in the direction of the scan, from its beginning on. */
  private NavigableMap<UnkindIndex.Entry, UnkindRecord> rest(UnkindIndex index) {
    boolean isReverse = range.reverse();
    NavigableMap<UnkindIndex.Entry, UnkindRecord> all =
        isReverse ? index.entries.descendingMap() : index.entries;
    UnkindIndex.Entry start = isReverse ? end(range.high(), range.highInclusive()) : begin();
    if (from != null) {
      var sought = new UnkindIndex.Entry(from, isReverse ? Long.MAX_VALUE : Long.MIN_VALUE);
      start = later(start, sought);
    }
    start = later(start, last);
    return start == null ? all : all.tailMap(start, false);
  }

  private UnkindIndex.Entry later(UnkindIndex.Entry one, UnkindIndex.Entry other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    boolean isAfter = range.reverse() ? one.compareTo(other) < 0 : one.compareTo(other) > 0;
    return isAfter ? one : other;
  }

  private UnkindIndex.Entry begin() {
    return range.low() == null
        ? null
        : new UnkindIndex.Entry(
            range.low(), range.lowInclusive() ? Long.MIN_VALUE : Long.MAX_VALUE);
  }

  private static UnkindIndex.Entry end(byte[] high, boolean isInclusive) {
    return high == null
        ? null
        : new UnkindIndex.Entry(high, isInclusive ? Long.MAX_VALUE : Long.MIN_VALUE);
  }

  private boolean isBeyond(byte[] key) {
    byte[] limit = range.reverse() ? range.low() : range.high();
    if (limit == null) {
      return false;
    }
    boolean isInclusive = range.reverse() ? range.lowInclusive() : range.highInclusive();
    int order = Arrays.compareUnsigned(key, limit);
    order = range.reverse() ? -order : order;
    return isInclusive ? order > 0 : order >= 0;
  }

  @Override
  public byte[] key() {
    return current.key;
  }

  @Override
  public long recordId() {
    return current.recordId;
  }

  @Override
  public PartitionStore.FieldsSeen fieldsSeen() {
    return current.seen;
  }

  @Override
  public void seek(byte[] key) {
    if (!isPassed(key)) {
      from = key;
    }
  }
}
