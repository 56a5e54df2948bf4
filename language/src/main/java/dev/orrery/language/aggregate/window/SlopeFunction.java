package dev.orrery.language.aggregate.window;

import dev.orrery.language.aggregate.stage.StageFailures;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.Truth;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.number.Numbers;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * {@code $derivative $integral}: how fast a value changes along the sort field over the window, and
 * the area under it.
 *
 * @param unit the unit of time, or empty if the sort field is a number
 */
record SlopeFunction(Expression input, String unit, WindowBounds bounds, boolean isIntegral)
    implements WindowFunction {
  private static final BsonValue ZERO = new BsonInt32(0);
  private static final BsonValue TWO = new BsonDouble(2);

  @Override
  public WindowFunction optimize() {
    return new SlopeFunction(input.optimize(), unit, bounds, isIntegral);
  }

  @Override
  public void addDependencies(Dependencies dependencies) {
    input.addDependencies(dependencies);
  }

  private String name() {
    return isIntegral ? "$integral" : "$derivative";
  }

  @Override
  public Values open(WindowPartition partition) {
    return isIntegral ? new Integral(partition) : new Derivative(partition);
  }

  /** The slope of the line from the first to the last document of a window. */
  private final class Derivative implements Values {
    private final WindowPartition partition;
    private final WindowBounds.Position window;

    Derivative(WindowPartition partition) {
      this.partition = partition;
      this.window = bounds.open(partition);
    }

    @Override
    public BsonValue at(int place) {
      window.moveTo(place);
      if (window.to() == window.from()) {
        return BsonNull.VALUE;
      }
      int end = window.to() - 1;
      BsonValue first = position(partition.sortValue(window.from()));
      BsonValue last = position(partition.sortValue(end));
      BsonValue from = partition.evaluate(input, window.from());
      BsonValue to = partition.evaluate(input, end);
      if (first == null || last == null || !areNumbers(from, to)) {
        return BsonNull.VALUE;
      }
      BsonValue run = Numbers.subtract(last, first);
      BsonValue rise = Numbers.subtract(to, from);
      if (Numbers.toDouble(run) == 0) {
        return BsonNull.VALUE;
      }
      BsonValue slope = Numbers.divide(rise, run);
      return unit.isEmpty()
          ? slope
          : Numbers.multiply(slope, new BsonInt64(WindowBounds.TimeUnits.millis(unit)));
    }
  }

  /** By the trapezoidal rule, anew from the start whenever that has moved. */
  private final class Integral implements Values {
    private final WindowPartition partition;
    private final WindowBounds.Position window;
    private int from;
    private int added;
    private BsonValue area = ZERO;
    private @Nullable BsonValue here;
    private @Nullable BsonValue height;
    private boolean isNull;

    Integral(WindowPartition partition) {
      this.partition = partition;
      this.window = bounds.open(partition);
    }

    @Override
    public BsonValue at(int place) {
      window.moveTo(place);
      if (from != window.from()) {
        from = window.from();
        added = from;
        area = ZERO;
        isNull = false;
      }
      Allowance allowance = Allowance.current();
      for (; added < window.to() && !isNull; added++) {
        allowance.step();
        add();
      }
      if (isNull || window.to() == window.from()) {
        return BsonNull.VALUE;
      }
      return unit.isEmpty()
          ? area
          : Numbers.divide(area, new BsonInt64(WindowBounds.TimeUnits.millis(unit)));
    }

    private void add() {
      BsonValue before = here;
      BsonValue heightBefore = height;
      here = position(partition.sortValue(added));
      height = partition.evaluate(input, added);
      if (here == null || !Numbers.isNumber(height)) {
        isNull = true;
      } else if (added > from) {
        BsonValue width = Numbers.subtract(here, before);
        BsonValue heights = Numbers.add(heightBefore, height);
        area = Numbers.add(area, Numbers.divide(Numbers.multiply(width, heights), TWO));
      }
    }
  }

  private static boolean areNumbers(@Nullable BsonValue left, @Nullable BsonValue right) {
    if (Truth.isNullish(left) || Truth.isNullish(right)) {
      return false;
    }
    for (BsonValue value : new BsonValue[] {left, right}) {
      if (!Numbers.isNumber(value)) {
        throw StageFailures.typeMismatch(
            "can't $subtract " + BsonText.typeName(right) + " from " + BsonText.typeName(left));
      }
    }
    return true;
  }

  /** The sort field as a number: of a date, its milliseconds. */
  private @Nullable BsonValue position(@Nullable BsonValue value) {
    if (Truth.isNullish(value)) {
      return null;
    }
    if (unit.isEmpty()) {
      if (value.isDateTime()) {
        throw new CommandException(
            isIntegral ? ErrorCode.LOCATION_5423902 : ErrorCode.LOCATION_5624901,
            name() + " where the sortBy is a Date requires an 'unit'");
      }
      return Numbers.isNumber(value) ? value : null;
    }
    if (!value.isDateTime()) {
      throw new CommandException(
          isIntegral ? ErrorCode.LOCATION_5423901 : ErrorCode.LOCATION_5624900,
          name() + " with 'unit' expects the sortBy field to be a Date");
    }
    return new BsonInt64(value.asDateTime().getValue());
  }
}
