package dev.orrery.server.aggregate;

import dev.orrery.server.error.BsonText;
import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.server.expression.Dependencies;
import dev.orrery.server.expression.Expression;
import dev.orrery.server.expression.Numbers;
import dev.orrery.server.expression.Truth;
import dev.orrery.storage.value.BsonOrder;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * {@code $locf $linearFill}: in place of a missing value the last one before it, or one on the line
 * between its neighbours.
 */
record FillFunction(Expression input, boolean isLinear) implements WindowFunction {
  @Override
  public WindowFunction optimize() {
    return new FillFunction(input.optimize(), isLinear);
  }

  @Override
  public void addDependencies(Dependencies dependencies) {
    input.addDependencies(dependencies);
  }

  @Override
  public BsonValue[] compute(WindowPartition partition) {
    var scope = partition.run().scope();
    var values = new BsonValue[partition.size()];
    for (int i = 0; i < values.length; i++) {
      BsonValue value = input.evaluate(scope.root(partition.documents().get(i)));
      values[i] = Truth.isNullish(value) ? BsonNull.VALUE : value;
    }
    if (isLinear) {
      fillLinear(partition, values);
    } else {
      for (int i = 1; i < values.length; i++) {
        values[i] = values[i].isNull() ? values[i - 1] : values[i];
      }
    }
    return values;
  }

  private static void fillLinear(WindowPartition partition, BsonValue[] values) {
    int known = -1;
    for (int i = 0; i < values.length; i++) {
      requireDifferent(partition, i);
      if (values[i].isNull()) {
        continue;
      }
      if (!Numbers.isNumber(values[i])) {
        throw Failures.typeMismatch(
            "Value to be filled must be numeric or nullish, but found "
                + BsonText.typeName(values[i]));
      }
      for (int gap = known + 1; known >= 0 && gap < i; gap++) {
        values[gap] = between(partition, values, gap, new int[] {known, i});
      }
      known = i;
    }
  }

  private static void requireDifferent(WindowPartition partition, int place) {
    if (place > 0
        && BsonOrder.CANONICAL.compare(partition.sortValue(place), partition.sortValue(place - 1))
            == 0) {
      throw new CommandException(
          ErrorCode.LOCATION_6050106, "There can be no repeated values in the sort field");
    }
  }

  private static BsonValue between(
      WindowPartition partition, BsonValue[] values, int gap, int[] ends) {
    BsonValue x0 = position(partition.sortValue(ends[0]));
    BsonValue x1 = position(partition.sortValue(ends[1]));
    BsonValue x = position(partition.sortValue(gap));
    BsonValue rise = Numbers.subtract(values[ends[1]], values[ends[0]]);
    BsonValue share = Numbers.divide(Numbers.subtract(x, x0), Numbers.subtract(x1, x0));
    return Numbers.add(values[ends[0]], Numbers.multiply(rise, share));
  }

  private static BsonValue position(@Nullable BsonValue value) {
    if (value != null && value.isDateTime()) {
      return new BsonInt64(value.asDateTime().getValue());
    }
    if (!Numbers.isNumber(value)) {
      throw Failures.typeMismatch(
          "Value to be filled must be numeric or nullish, but found " + BsonText.typeName(value));
    }
    return value;
  }
}
