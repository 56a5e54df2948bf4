package dev.orrery.language.aggregate.accumulator;

import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Truth;
import dev.orrery.language.number.Numbers;
import dev.orrery.value.BsonKey;
import dev.orrery.value.BsonOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Accumulators that keep many values. */
final class ListAccumulators {
  /** What a value takes in a list beside itself. */
  private static final int ELEMENT_BYTES = 24;

  private ListAccumulators() {}

  /** An accumulator whose state is a list of what it was given. */
  private interface OfList extends Accumulator {
    @Override
    default void merge(BsonValue state) {
      state.asArray().forEach(this::add);
    }
  }

  private static BsonValue orNull(@Nullable BsonValue value) {
    return value == null ? BsonNull.VALUE : value;
  }

  /** One list must fit into memory, on disk or not. */
  private static void limit(String name, long bytes) {
    if (bytes > PipelineRun.STAGE_BYTES_MAX) {
      throw new CommandException(
          ErrorCode.EXCEEDED_MEMORY_LIMIT,
          name
              + " used too much memory and cannot spill to disk. Memory limit: "
              + PipelineRun.STAGE_BYTES_MAX
              + " bytes");
    }
  }

  /** {@code $push}: all values but missing ones. */
  static final class Push implements OfList {
    private final BsonArray values = new BsonArray();
    private long bytes;

    @Override
    public void add(@Nullable BsonValue value) {
      if (value != null) {
        values.add(value);
        bytes += Documents.heapBytes(value);
        limit("$push", bytes);
      }
    }

    @Override
    public BsonValue result() {
      return new BsonArray(values);
    }

    @Override
    public long heapBytes() {
      return bytes;
    }
  }

  /** {@code $addToSet}: values that differ. */
  static final class AddToSet implements OfList {
    private final BsonOrder order;
    private final Set<BsonKey> values = new LinkedHashSet<>();
    private long bytes;

    AddToSet(BsonOrder order) {
      this.order = order;
    }

    @Override
    public void add(@Nullable BsonValue value) {
      if (value != null && values.add(BsonKey.of(value, order))) {
        bytes += 64 + Documents.heapBytes(value);
        limit("$addToSet", bytes);
      }
    }

    @Override
    public BsonValue result() {
      var list = new BsonArray(values.size());
      values.forEach(key -> list.add(key.value()));
      return list;
    }

    @Override
    public long heapBytes() {
      return bytes;
    }
  }

  /** {@code $firstN}. */
  static final class FirstN implements OfList {
    private final int count;
    private final BsonArray values = new BsonArray();
    private long bytes;

    FirstN(int count) {
      this.count = count;
    }

    @Override
    public void add(@Nullable BsonValue value) {
      if (values.size() < count) {
        values.add(orNull(value));
        bytes += ELEMENT_BYTES + Documents.heapBytes(value);
      }
    }

    @Override
    public BsonValue result() {
      return new BsonArray(values);
    }

    @Override
    public long heapBytes() {
      return bytes;
    }
  }

  /** {@code $lastN}. */
  static final class LastN implements OfList {
    private final int count;
    private final Deque<BsonValue> values = new ArrayDeque<>();
    private long bytes;

    LastN(int count) {
      this.count = count;
    }

    @Override
    public void add(@Nullable BsonValue value) {
      values.addLast(orNull(value));
      bytes += ELEMENT_BYTES + Documents.heapBytes(value);
      if (values.size() > count) {
        bytes -= ELEMENT_BYTES + Documents.heapBytes(values.removeFirst());
      }
    }

    @Override
    public BsonValue result() {
      return new BsonArray(new ArrayList<>(values));
    }

    @Override
    public long heapBytes() {
      return bytes;
    }
  }

  /** The first so many in some order; sorts and cuts now and then instead of at every value. */
  private static final class Cut {
    private final int count;
    private final Comparator<BsonValue> order;
    private final List<BsonValue> values = new ArrayList<>();
    private long bytes;

    Cut(int count, Comparator<BsonValue> order) {
      this.count = count;
      this.order = order;
    }

    void add(BsonValue value) {
      values.add(value);
      bytes += ELEMENT_BYTES + Documents.heapBytes(value);
      if (values.size() - 64L > 2L * count) {
        cut();
      }
    }

    List<BsonValue> cut() {
      values.sort(order);
      if (values.size() > count) {
        List<BsonValue> surplus = values.subList(count, values.size());
        surplus.forEach(value -> bytes -= ELEMENT_BYTES + Documents.heapBytes(value));
        surplus.clear();
      }
      return values;
    }
  }

  /** {@code $minN}, {@code $maxN}: null and missing values don't count. */
  static final class ExtremeN implements OfList {
    private final Cut best;

    ExtremeN(int count, BsonOrder order, int sign) {
      best = new Cut(count, sign > 0 ? order : order.reversed());
    }

    @Override
    public void add(@Nullable BsonValue value) {
      if (!Truth.isNullish(value)) {
        best.add(value);
      }
    }

    @Override
    public BsonValue result() {
      return new BsonArray(new ArrayList<>(best.cut()));
    }

    @Override
    public long heapBytes() {
      return best.bytes;
    }
  }

  /** {@code $top $topN $bottom $bottomN}: values of the first or last documents in an order. */
  static final class Ranked implements OfList {
    private static final Comparator<BsonValue> ORDER =
        (left, right) -> Arrays.compareUnsigned(Accumulation.key(left), Accumulation.key(right));

    private final Cut best;
    private final boolean isBottom;
    private final boolean isMany;

    Ranked(int count, boolean isBottom, boolean isMany) {
      this.best = new Cut(count, isBottom ? ORDER.reversed() : ORDER);
      this.isBottom = isBottom;
      this.isMany = isMany;
    }

    @Override
    public void add(@Nullable BsonValue value) {
      best.add(value);
    }

    @Override
    public BsonValue result() {
      var values = new BsonArray();
      best.cut().forEach(ranked -> values.add(Accumulation.value(ranked)));
      if (!isMany) {
        return values.isEmpty() ? BsonNull.VALUE : values.get(0);
      }
      if (isBottom) {
        java.util.Collections.reverse(values);
      }
      return values;
    }

    @Override
    public BsonValue state() {
      return new BsonArray(new ArrayList<>(best.cut()));
    }

    @Override
    public long heapBytes() {
      return best.bytes;
    }
  }

  /** {@code $median}, {@code $percentile}: keeps all numbers, which the expression then ranks. */
  static final class Percentiles implements OfList {
    /** The field under which the expression finds the numbers. */
    static final String LIST = "v";

    private final BsonArray numbers = new BsonArray();
    private final Function<BsonDocument, BsonValue> computation;

    Percentiles(Function<BsonDocument, BsonValue> computation) {
      this.computation = computation;
    }

    @Override
    public void add(@Nullable BsonValue value) {
      if (Numbers.isNumber(value)) {
        numbers.add(value);
      }
    }

    @Override
    public BsonValue result() {
      return computation.apply(new BsonDocument(LIST, numbers));
    }

    @Override
    public BsonValue state() {
      return numbers;
    }

    @Override
    public long heapBytes() {
      return numbers.size() * 32L;
    }
  }
}
