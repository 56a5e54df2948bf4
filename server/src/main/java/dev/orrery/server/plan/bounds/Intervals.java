package dev.orrery.server.plan.bounds;

import dev.orrery.language.limit.Allowance;
import dev.orrery.server.plan.bounds.Interval.Bound;
import dev.orrery.value.StringOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.bson.BsonMaxKey;
import org.bson.BsonMinKey;

/** A set of values: intervals in ascending order that neither overlap nor touch. */
public record Intervals(List<Interval> list) {
  private static final Bound LOWEST = Bound.of(new BsonMinKey(), true, StringOrder.UTF8);
  private static final Bound HIGHEST = Bound.of(new BsonMaxKey(), true, StringOrder.UTF8);

  public static final Intervals ALL = new Intervals(List.of(new Interval(LOWEST, HIGHEST)));
  static final Intervals NONE = new Intervals(List.of());

  public Intervals {
    list = List.copyOf(list);
  }

  /** Any intervals, brought into order. */
  public static Intervals of(List<Interval> any) {
    var sorted = new ArrayList<>(any);
    sorted.sort(
        Comparator.comparing((Interval interval) -> interval.low().key(), Arrays::compareUnsigned)
            .thenComparing(interval -> !interval.low().isInclusive()));
    var merged = new ArrayList<Interval>();
    for (Interval next : sorted) {
      Interval last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
      if (last == null || isApart(last, next)) {
        merged.add(next);
      } else if (next.high().isHigherThan(last.high())) {
        merged.set(merged.size() - 1, new Interval(last.low(), next.high()));
      }
    }
    return new Intervals(merged);
  }

  private static boolean isApart(Interval left, Interval right) {
    int order = Arrays.compareUnsigned(left.high().key(), right.low().key());
    return order < 0 || (order == 0 && !left.high().isInclusive() && !right.low().isInclusive());
  }

  public Intervals intersect(Intervals other) {
    var common = new ArrayList<Interval>();
    int i = 0;
    int j = 0;
    while (i < list.size() && j < other.list.size()) {
      Interval a = list.get(i);
      Interval b = other.list.get(j);
      Bound low = a.low().isLowerThan(b.low()) ? b.low() : a.low();
      boolean endsWithB = a.high().isHigherThan(b.high());
      Bound high = endsWithB ? b.high() : a.high();
      if (!Interval.isEmpty(low, high)) {
        common.add(new Interval(low, high));
      }
      if (endsWithB) {
        j++;
      } else {
        i++;
      }
    }
    return new Intervals(common);
  }

  /**
   * What is in all of many, taken two by two and those again: one after the other a result that
   * grows by each, as that of many exceptions does, would be copied for each.
   */
  public static Intervals intersection(List<Intervals> many) {
    Allowance allowance = Allowance.current();
    List<Intervals> left = many;
    while (left.size() > 1) {
      var pairs = new ArrayList<Intervals>((left.size() + 1) / 2);
      for (int i = 0; i + 1 < left.size(); i += 2) {
        allowance.step();
        pairs.add(left.get(i).intersect(left.get(i + 1)));
      }
      if (left.size() % 2 == 1) {
        pairs.add(left.get(left.size() - 1));
      }
      left = pairs;
    }
    return left.isEmpty() ? ALL : left.get(0);
  }

  public Intervals complement() {
    var gaps = new ArrayList<Interval>();
    Bound low = LOWEST;
    for (Interval interval : list) {
      Bound high = interval.low().opposite();
      if (!Interval.isEmpty(low, high)) {
        gaps.add(new Interval(low, high));
      }
      low = interval.high().opposite();
    }
    if (!Interval.isEmpty(low, HIGHEST)) {
      gaps.add(new Interval(low, HIGHEST));
    }
    return new Intervals(gaps);
  }

  public boolean isEmpty() {
    return list.isEmpty();
  }

  public boolean isAll() {
    return list.size() == 1
        && !LOWEST.isLowerThan(list.get(0).low())
        && !HIGHEST.isHigherThan(list.get(0).high());
  }

  /** Whether exactly one value is left. */
  public boolean isPoint() {
    return list.size() == 1 && list.get(0).isPoint();
  }

  public boolean arePoints() {
    return list.stream().allMatch(Interval::isPoint);
  }

  boolean contains(byte[] key) {
    for (Interval interval : list) {
      int low = Arrays.compareUnsigned(key, interval.low().key());
      int high = Arrays.compareUnsigned(key, interval.high().key());
      boolean isAboveLow = low > 0 || (low == 0 && interval.low().isInclusive());
      if (isAboveLow && (high < 0 || (high == 0 && interval.high().isInclusive()))) {
        return true;
      }
    }
    return false;
  }
}
