package dev.orrery.server.plan.bounds;

import dev.orrery.language.error.BsonText;
import dev.orrery.value.KeyEncoder;
import dev.orrery.value.StringOrder;
import java.util.Arrays;
import org.bson.BsonValue;

/** Values between two bounds, in ascending order; it holds one value at least. */
public record Interval(Bound low, Bound high) {
  /**
   * One end.
   *
   * @param value for explain
   * @param key the value's ascending encoding in the index at hand, for everything else
   */
  public record Bound(BsonValue value, byte[] key, boolean isInclusive) {
    static Bound of(BsonValue value, boolean isInclusive, StringOrder strings) {
      byte[] key = new KeyEncoder(strings).append(value, false).toByteArray();
      return new Bound(value, key, isInclusive);
    }

    /** Whether this, as a lower bound, lets values in that the other keeps out. */
    boolean isLowerThan(Bound other) {
      int order = Arrays.compareUnsigned(key, other.key);
      return order < 0 || (order == 0 && isInclusive && !other.isInclusive);
    }

    /** Whether this, as an upper bound, lets values in that the other keeps out. */
    boolean isHigherThan(Bound other) {
      int order = Arrays.compareUnsigned(key, other.key);
      return order > 0 || (order == 0 && isInclusive && !other.isInclusive);
    }

    /** The same place, from the other side. */
    Bound opposite() {
      return new Bound(value, key, !isInclusive);
    }
  }

  public static Interval point(BsonValue value, StringOrder strings) {
    Bound bound = Bound.of(value, true, strings);
    return new Interval(bound, bound);
  }

  /** Whether no value lies between two bounds. */
  static boolean isEmpty(Bound low, Bound high) {
    int order = Arrays.compareUnsigned(low.key, high.key);
    return order > 0 || (order == 0 && !(low.isInclusive && high.isInclusive));
  }

  boolean isPoint() {
    return low.isInclusive && high.isInclusive && Arrays.equals(low.key, high.key);
  }

  /** As explain prints it, from low to high or the other way round. */
  public String text(boolean isReverse) {
    Bound first = isReverse ? high : low;
    Bound last = isReverse ? low : high;
    return (first.isInclusive ? "[" : "(")
        + BsonText.stored(first.value)
        + ", "
        + BsonText.stored(last.value)
        + (last.isInclusive ? "]" : ")");
  }
}
