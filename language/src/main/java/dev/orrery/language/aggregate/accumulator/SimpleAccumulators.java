package dev.orrery.language.aggregate.accumulator;

import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Truth;
import dev.orrery.language.number.NumberSpread;
import dev.orrery.language.number.NumberSum;
import dev.orrery.language.number.Numbers;
import dev.orrery.value.BsonOrder;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Accumulators that keep one value. */
public final class SimpleAccumulators {
  private SimpleAccumulators() {}

  /** {@code $sum}: 0 without numbers. */
  static final class Sum implements Accumulator {
    private final NumberSum sum = new NumberSum();

    @Override
    public void add(@Nullable BsonValue value) {
      sum.add(value);
    }

    @Override
    public BsonValue result() {
      return sum.sum();
    }

    @Override
    public BsonValue state() {
      return sum.state();
    }

    @Override
    public void merge(BsonValue state) {
      sum.add(NumberSum.of(state));
    }

    @Override
    public void mergeFrom(Accumulator later) {
      sum.add(((Sum) later).sum);
    }
  }

  /** {@code $avg}: null without numbers. */
  static final class Average implements Accumulator {
    private final NumberSum sum = new NumberSum();

    @Override
    public void add(@Nullable BsonValue value) {
      sum.add(value);
    }

    @Override
    public BsonValue result() {
      BsonValue average = sum.average();
      return average == null ? BsonNull.VALUE : average;
    }

    @Override
    public BsonValue state() {
      return sum.state();
    }

    @Override
    public void merge(BsonValue state) {
      sum.add(NumberSum.of(state));
    }

    @Override
    public void mergeFrom(Accumulator later) {
      sum.add(((Average) later).sum);
    }
  }

  /** {@code $stdDevPop}, {@code $stdDevSamp}. */
  public static final class Deviation implements Accumulator {
    private final NumberSpread spread = new NumberSpread();
    private final int lost;
    private final boolean isSliding;
    private long count;

    Deviation(int lost) {
      this(lost, false);
    }

    /**
     * @param isSliding over a window whose start moves: MongoDB then has an int for one number
     */
    public Deviation(int lost, boolean isSliding) {
      this.lost = lost;
      this.isSliding = isSliding;
    }

    @Override
    public void add(@Nullable BsonValue value) {
      count += Numbers.isNumber(value) ? 1 : 0;
      spread.add(value);
    }

    @Override
    public BsonValue result() {
      return isSliding && count == 1 && lost == 0 ? new BsonInt32(0) : spread.result(lost);
    }

    @Override
    public BsonValue state() {
      return spread.state();
    }

    @Override
    public void merge(BsonValue state) {
      spread.add(NumberSpread.of(state));
    }

    /** The mean of parts is rounded otherwise than a mean that moves with each number. */
    @Override
    public boolean isDivisible() {
      return false;
    }
  }

  /** {@code $min}, {@code $max}: null and missing values don't count. */
  static final class Extreme implements Accumulator {
    private final BsonOrder order;
    private final int sign;
    private @Nullable BsonValue best;
    private long bytes;

    Extreme(BsonOrder order, int sign) {
      this.order = order;
      this.sign = sign;
    }

    @Override
    public void add(@Nullable BsonValue value) {
      if (!Truth.isNullish(value) && (best == null || order.compare(value, best) * sign < 0)) {
        best = value;
        bytes = SimpleAccumulators.heapBytes(value);
      }
    }

    @Override
    public BsonValue result() {
      return best == null ? BsonNull.VALUE : best;
    }

    @Override
    public long heapBytes() {
      return bytes;
    }
  }

  /** What a value takes that an accumulator keeps; small ones are counted with their group. */
  private static long heapBytes(@Nullable BsonValue value) {
    boolean mayBeLong =
        value != null
            && (value.isString()
                || value.isDocument()
                || value.isArray()
                || value.isBinary()
                || value.isRegularExpression()
                || value.isJavaScript()
                || value.isSymbol());
    return mayBeLong ? Documents.heapBytes(value) : 0;
  }

  /** {@code $first}: of the first document, even if it is missing there. */
  static final class First implements Accumulator {
    private @Nullable BsonValue first;
    private long bytes;

    @Override
    public void add(@Nullable BsonValue value) {
      if (first == null) {
        first = value == null ? BsonNull.VALUE : value;
        bytes = SimpleAccumulators.heapBytes(value);
      }
    }

    @Override
    public BsonValue result() {
      return first == null ? BsonNull.VALUE : first;
    }

    @Override
    public long heapBytes() {
      return bytes;
    }
  }

  /** {@code $last}. */
  static final class Last implements Accumulator {
    private @Nullable BsonValue last;
    private long bytes;

    @Override
    public void add(@Nullable BsonValue value) {
      last = value;
      bytes = SimpleAccumulators.heapBytes(value);
    }

    @Override
    public BsonValue result() {
      return last == null ? BsonNull.VALUE : last;
    }

    @Override
    public long heapBytes() {
      return bytes;
    }
  }

  /** {@code $mergeObjects}: fields of later documents win. */
  static final class Merge implements Accumulator {
    private static final int FIELD_BYTES = 96;

    private final BsonDocument merged = new BsonDocument();
    private long bytes;

    @Override
    public void add(@Nullable BsonValue value) {
      if (Truth.isNullish(value)) {
        return;
      }
      if (!value.isDocument()) {
        throw new CommandException(
            ErrorCode.LOCATION_5911200, "$mergeObjects only supports objects");
      }
      for (var field : value.asDocument().entrySet()) {
        BsonValue before = merged.put(field.getKey(), field.getValue());
        bytes += Documents.heapBytes(field.getValue());
        bytes -= before == null ? -FIELD_BYTES : Documents.heapBytes(before);
      }
    }

    @Override
    public BsonValue result() {
      var copy = new BsonDocument();
      copy.putAll(merged);
      return copy;
    }

    @Override
    public long heapBytes() {
      return bytes;
    }
  }
}
