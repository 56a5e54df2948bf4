package dev.orrery.server.plan.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.plan.bounds.Interval.Bound;
import dev.orrery.value.StringOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;

/** Sets of intervals against sets of values: each value alone tells whether it is in. */
class IntervalsTest {
  private static final int VALUES = 12;
  private static final int ROUNDS = 3_000;

  private final Random random = new Random(7);

  private static byte[] key(int value) { // bounds are even, so that odd ones lie between
    return Bound.of(new BsonInt32(value), true, StringOrder.UTF8).key();
  }

  private List<Interval> intervals() {
    var list = new ArrayList<Interval>();
    for (int i = random.nextInt(5); i > 0; i--) {
      int low = 2 * random.nextInt(VALUES);
      int high = low + 2 * random.nextInt(4);
      Bound from = Bound.of(new BsonInt32(low), random.nextBoolean(), StringOrder.UTF8);
      Bound to = Bound.of(new BsonInt32(high), random.nextBoolean(), StringOrder.UTF8);
      if (!Interval.isEmpty(from, to)) {
        list.add(new Interval(from, to));
      }
    }
    return list;
  }

  private static boolean isIn(List<Interval> list, byte[] key) {
    return list.stream().anyMatch(one -> new Intervals(List.of(one)).contains(key));
  }

  @Test
  void intervalsInAnyOrderHoldWhatEachOfThemHolds() {
    for (int round = 0; round < ROUNDS; round++) {
      List<Interval> list = intervals();
      Intervals merged = Intervals.of(list);
      requireOrder(merged);
      for (int value = -1; value < 2 * VALUES + 8; value++) {
        byte[] key = key(value);
        assertThat(merged.contains(key)).as("%s in %s", value, list).isEqualTo(isIn(list, key));
        assertThat(merged.complement().contains(key)).isEqualTo(!isIn(list, key));
      }
    }
  }

  @Test
  void theIntersectionOfManyHoldsWhatAllOfThemHold() {
    for (int round = 0; round < ROUNDS; round++) {
      var many = new ArrayList<Intervals>();
      for (int i = random.nextInt(6); i > 0; i--) {
        Intervals one = Intervals.of(intervals());
        many.add(random.nextBoolean() ? one : one.complement());
      }
      Intervals all = Intervals.intersection(many);
      requireOrder(all);
      for (int value = -1; value < 2 * VALUES + 8; value++) {
        byte[] key = key(value);
        assertThat(all.contains(key))
            .as("%s in all of %s", value, many)
            .isEqualTo(many.stream().allMatch(one -> one.contains(key)));
      }
    }
  }

  /** Ascending, and nothing between two neighbours is in both. */
  private static void requireOrder(Intervals intervals) {
    for (int i = 1; i < intervals.list().size(); i++) {
      Bound before = intervals.list().get(i - 1).high();
      Bound after = intervals.list().get(i).low();
      int order = Arrays.compareUnsigned(before.key(), after.key());
      boolean isApart = order < 0 || (order == 0 && !before.isInclusive() && !after.isInclusive());
      assertThat(isApart).as("%s", intervals).isTrue();
    }
  }
}
