package dev.orrery.server.aggregate;

import dev.orrery.server.error.BsonText;
import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.server.expression.Dependencies;
import dev.orrery.server.expression.Expression;
import dev.orrery.server.expression.Numbers;
import dev.orrery.server.expression.Truth;
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
  public BsonValue[] compute(WindowPartition partition) {
    int size = partition.size();
    var scope = partition.run().scope();
    @Nullable BsonValue[] inputs = new BsonValue[size];
    for (int i = 0; i < size; i++) {
      inputs[i] = input.evaluate(scope.root(partition.documents().get(i)));
    }
    WindowBounds.Ranges ranges = bounds.resolve(partition);
    var results = new BsonValue[size];
    for (int i = 0; i < size; i++) {
      int from = ranges.from()[i];
      int to = ranges.to()[i];
      results[i] =
          isIntegral
              ? integral(partition, inputs, from, to)
              : derivative(partition, inputs, from, to);
    }
    return results;
  }

  private BsonValue derivative(
      WindowPartition partition, @Nullable BsonValue[] inputs, int from, int to) {
    if (to - from < 1) {
      return BsonNull.VALUE;
    }
    BsonValue first = position(partition.sortValue(from));
    BsonValue last = position(partition.sortValue(to - 1));
    if (first == null || last == null || !areNumbers(inputs[from], inputs[to - 1])) {
      return BsonNull.VALUE;
    }
    BsonValue run = Numbers.subtract(last, first);
    BsonValue rise = Numbers.subtract(inputs[to - 1], inputs[from]);
    if (Numbers.toDouble(run) == 0) {
      return BsonNull.VALUE;
    }
    BsonValue slope = Numbers.divide(rise, run);
    return unit.isEmpty()
        ? slope
        : Numbers.multiply(slope, new BsonInt64(WindowBounds.TimeUnits.millis(unit)));
  }

  /** By the trapezoidal rule. */
  private BsonValue integral(
      WindowPartition partition, @Nullable BsonValue[] inputs, int from, int to) {
    BsonValue area = new BsonInt32(0);
    if (to - from < 1) {
      return BsonNull.VALUE;
    }
    for (int i = from; i < to; i++) {
      BsonValue here = position(partition.sortValue(i));
      if (here == null || !Numbers.isNumber(inputs[i])) {
        return BsonNull.VALUE;
      }
      if (i > from) {
        BsonValue width = Numbers.subtract(here, position(partition.sortValue(i - 1)));
        BsonValue heights = Numbers.add(inputs[i - 1], inputs[i]);
        area = Numbers.add(area, Numbers.divide(Numbers.multiply(width, heights), TWO));
      }
    }
    return unit.isEmpty()
        ? area
        : Numbers.divide(area, new BsonInt64(WindowBounds.TimeUnits.millis(unit)));
  }

  private static boolean areNumbers(@Nullable BsonValue left, @Nullable BsonValue right) {
    if (Truth.isNullish(left) || Truth.isNullish(right)) {
      return false;
    }
    for (BsonValue value : new BsonValue[] {left, right}) {
      if (!Numbers.isNumber(value)) {
        throw Failures.typeMismatch(
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
