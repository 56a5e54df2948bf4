package dev.orrery.server.plan.bounds;

import dev.orrery.storage.IndexRange;
import dev.orrery.value.KeyParts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * A scan of (a, b) with a in {1, 5} and b > 3 walks like this: it begins at (1, 3+), leaves the
 * bounds when a is above 1, seeks (5, 3+), and ends above 5. In general each key is looked at field
 * by field: below the next interval, the scan seeks its beginning; behind the last interval, it
 * seeks behind all keys that share the fields before. No field is decoded: encodings of values
 * have no common prefixes, so comparing the bytes from a field's start on is comparing the field.
 *
 * "Behind all keys that begin with p" is p FF forwards. Backwards it is p itself: a seek
 * backwards goes to the greatest key that is not above p, and keys that go on behind p are. Where
 * p is a whole key that very key is found again; then the scan takes a plain step.
 */

/** The bounds of a scan as bytes: where it begins and ends, and where it goes on from a key. */
public final class ScanBounds {
  /** Intervals of one field in the order of the index's bytes. */
  private record Field(List<Span> spans, boolean isDescending) {}

  /** Encoded values between two bounds. */
  private record Span(byte[] low, boolean isLowIn, byte[] high, boolean isHighIn) {
    static Span of(Interval interval, boolean isDescending) {
      byte[] low = interval.low().key();
      byte[] high = interval.high().key();
      boolean isLowIn = interval.low().isInclusive();
      boolean isHighIn = interval.high().isInclusive();
      return isDescending
          ? new Span(complement(high), isHighIn, complement(low), isLowIn)
          : new Span(low, isLowIn, high, isHighIn);
    }

    private static byte[] complement(byte[] key) {
      byte[] result = key.clone();
      for (int i = 0; i < result.length; i++) {
        result[i] = (byte) ~result[i];
      }
      return result;
    }

    boolean isPoint() {
      return isLowIn && isHighIn && Arrays.equals(low, high);
    }
  }

  /** The verdict on a key: it is inside, the scan is over, or it goes on somewhere else. */
  public record Step(boolean isInside, byte @Nullable [] target) {
    static final Step INSIDE = new Step(true, null);
    static final Step END = new Step(false, null);
  }

  private static final byte[] ABOVE = {(byte) 0xFF};
  private static final byte[] NOTHING = {};

  private final List<Field> fields;
  private final boolean isReverse;

  private ScanBounds(List<Field> fields, boolean isReverse) {
    this.fields = fields;
    this.isReverse = isReverse;
  }

  public static ScanBounds of(IndexAccess access, boolean isReverse) {
    var fields = new ArrayList<Field>();
    for (int i = 0; i < access.parts().size(); i++) {
      boolean isDescending = access.parts().get(i).isDescending();
      var spans = new ArrayList<Span>();
      for (Interval interval : access.bounds().get(i).list()) {
        spans.add(Span.of(interval, isDescending));
      }
      if (isDescending) {
        Collections.reverse(spans);
      }
      fields.add(new Field(spans, isDescending));
    }
    return new ScanBounds(fields, isReverse);
  }

  /** Whether some field has no value left. */
  public boolean isEmpty() {
    return fields.stream().anyMatch(field -> field.spans.isEmpty());
  }

  /** From the first key that can be inside to the last. */
  public IndexRange range() {
    return range(0, fields.get(0).spans.size() - 1);
  }

  /** The range in which the first field is in some of its spans. */
  private IndexRange range(int firstSpan, int lastSpan) {
    byte[] low = NOTHING;
    boolean isOpen = true;
    for (int i = 0; i < fields.size() && isOpen; i++) {
      Span span = fields.get(i).spans.get(i == 0 ? firstSpan : 0);
      low = join(low, span.low);
      isOpen = span.isLowIn;
    }
    low = isOpen ? low : join(low, ABOVE);
    byte[] high = NOTHING;
    isOpen = true;
    for (int i = 0; i < fields.size() && isOpen; i++) {
      List<Span> spans = fields.get(i).spans;
      Span span = spans.get(i == 0 ? lastSpan : spans.size() - 1);
      high = join(high, span.high);
      isOpen = span.isHighIn;
    }
    high = isOpen ? join(high, ABOVE) : high;
    return new IndexRange(low, true, high, isOpen, isReverse);
  }

  /** One range for each span of the first field, at most {@code max} spread over all of them. */
  public List<IndexRange> samples(int max) {
    int size = fields.get(0).spans.size();
    var ranges = new ArrayList<IndexRange>();
    for (int i = 0; i < Math.min(size, max); i++) {
      int span = (int) ((long) i * size / Math.min(size, max));
      ranges.add(range(span, span));
    }
    return ranges;
  }

  public int spansOfFirstField() {
    return fields.get(0).spans.size();
  }

  /** Whether every key of the range is inside: no field after the first that is no point. */
  public boolean isContiguous() {
    boolean isPrefixPoint = true;
    for (Field field : fields) {
      boolean isAll = field.spans.size() == 1 && isWhole(field.spans.get(0));
      if (!isPrefixPoint && !isAll) {
        return false;
      }
      if (field.spans.size() != 1) {
        return false;
      }
      isPrefixPoint &= field.spans.get(0).isPoint();
    }
    return true;
  }

  private static boolean isWhole(Span span) {
    var all = Span.of(Intervals.ALL.list().get(0), false);
    var allDescending = Span.of(Intervals.ALL.list().get(0), true);
    return isSame(span, all) || isSame(span, allDescending);
  }

  private static boolean isSame(Span span, Span other) {
    return span.isLowIn
        && span.isHighIn
        && Arrays.equals(span.low, other.low)
        && Arrays.equals(span.high, other.high);
  }

  /** Where a scan stands that met the key. */
  public Step check(byte[] key) {
    int offset = 0;
    for (int i = 0; i < fields.size(); i++) {
      Field field = fields.get(i);
      Span span = isReverse ? lastNotAbove(field, key, offset) : firstNotBelow(field, key, offset);
      if (span == null) {
        byte[] prefix = Arrays.copyOf(key, offset);
        return i == 0 ? Step.END : new Step(false, isReverse ? prefix : join(prefix, ABOVE));
      }
      if (isReverse ? isAbove(key, offset, span) : isBelow(key, offset, span)) {
        return new Step(false, isReverse ? enterHigh(key, offset, span) : enterLow(key, offset, i));
      }
      if (i + 1 < fields.size()) {
        offset = KeyParts.end(key, offset, field.isDescending);
      }
    }
    return Step.INSIDE;
  }

  /** The first span that does not lie below the field; null if all do. */
  private static @Nullable Span firstNotBelow(Field field, byte[] key, int offset) {
    int from = 0;
    int to = field.spans.size();
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (isAbove(key, offset, field.spans.get(middle))) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from == field.spans.size() ? null : field.spans.get(from);
  }

  /** The last span that does not lie above the field; null if all do. */
  private static @Nullable Span lastNotAbove(Field field, byte[] key, int offset) {
    int from = 0;
    int to = field.spans.size();
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (isBelow(key, offset, field.spans.get(middle))) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return from == 0 ? null : field.spans.get(from - 1);
  }

  private static boolean isAbove(byte[] key, int offset, Span span) {
    int order = compare(key, offset, span.high);
    return order > 0 || (order == 0 && !span.isHighIn);
  }

  private static boolean isBelow(byte[] key, int offset, Span span) {
    int order = compare(key, offset, span.low);
    return order < 0 || (order == 0 && !span.isLowIn);
  }

  /** Compares the field that begins at the offset with an encoded value. */
  private static int compare(byte[] key, int offset, byte[] value) {
    int end = Math.min(key.length, offset + value.length);
    return Arrays.compareUnsigned(key, offset, end, value, 0, value.length);
  }

  /** The first key inside, when the field goes up to its next span. */
  private byte[] enterLow(byte[] key, int offset, int first) {
    byte[] target = Arrays.copyOf(key, offset);
    Span span = firstNotBelow(fields.get(first), key, offset);
    for (int i = first; ; i++) {
      target = join(target, span.low);
      if (!span.isLowIn) {
        return join(target, ABOVE);
      }
      if (i + 1 == fields.size()) {
        return target;
      }
      span = fields.get(i + 1).spans.get(0);
    }
  }

  private static byte[] enterHigh(byte[] key, int offset, Span span) {
    byte[] target = join(Arrays.copyOf(key, offset), span.high);
    return span.isHighIn ? join(target, ABOVE) : target;
  }

  private static byte[] join(byte[] left, byte[] right) {
    byte[] joined = Arrays.copyOf(left, left.length + right.length);
    System.arraycopy(right, 0, joined, left.length, right.length);
    return joined;
  }
}
