package dev.orrery.storage.log;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;

/** An immutable set of segments by number, with an array's speed: deleted ones leave holes. */
final class SegmentTable {

  static final SegmentTable EMPTY = new SegmentTable(0, new Segment[0]);

  private final long base;
  private final Segment[] slots;

  private SegmentTable(long base, Segment[] slots) {
    this.base = base;
    this.slots = slots;
  }

  /** The segment of that number, or {@code null}. */
  Segment find(long number) {
    long index = number - base;
    return index >= 0 && index < slots.length ? slots[(int) index] : null;
  }

  /** The first segment, in order, with a group of this LSN or a later one; or {@code null}. */
  Segment reaching(long lsn) {
    int low = 0;
    int high = slots.length;
    while (low < high) { // Holes are rare: step over them to the right.
      int middle = (low + high) >>> 1;
      int probe = middle;
      while (probe < high && slots[probe] == null) {
        probe++;
      }
      if (probe == high || slots[probe].lastLsn() >= lsn) {
        high = middle;
      } else {
        low = probe + 1;
      }
    }
    while (low < slots.length && slots[low] == null) {
      low++;
    }
    return low < slots.length ? slots[low] : null;
  }

  SegmentTable with(Segment segment) {
    if (slots.length == 0) {
      return new SegmentTable(segment.number(), new Segment[] {segment});
    }
    int index = Math.toIntExact(segment.number() - base);
    Segment[] copy = Arrays.copyOf(slots, Math.max(slots.length, index + 1));
    copy[index] = segment;
    return new SegmentTable(base, copy);
  }

  SegmentTable without(long number) {
    Segment[] copy = slots.clone();
    copy[Math.toIntExact(number - base)] = null;
    int first = 0;
    while (first < copy.length && copy[first] == null) {
      first++;
    }
    return new SegmentTable(base + first, Arrays.copyOfRange(copy, first, copy.length));
  }

  /** All segments in ascending order. */
  List<Segment> all() {
    return Arrays.stream(slots).filter(Objects::nonNull).toList();
  }

  SortedSet<Long> numbers() {
    var numbers = new TreeSet<Long>();
    all().forEach(segment -> numbers.add(segment.number()));
    return numbers;
  }
}
