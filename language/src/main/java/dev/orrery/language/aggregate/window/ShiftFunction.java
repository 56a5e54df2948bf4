package dev.orrery.language.aggregate.window;

import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Expression;
import org.bson.BsonNull;
import org.bson.BsonValue;

/** {@code $shift}: the value of another document, so many places away. */
record ShiftFunction(Expression output, long by, BsonValue fallback) implements WindowFunction {
  @Override
  public WindowFunction optimize() {
    return new ShiftFunction(output.optimize(), by, fallback);
  }

  @Override
  public void addDependencies(Dependencies dependencies) {
    output.addDependencies(dependencies);
  }

  @Override
  public Values open(WindowPartition partition) {
    return place -> {
      long other = place + by;
      if (other < 0 || other >= partition.size()) {
        return fallback;
      }
      BsonValue value = partition.evaluate(output, (int) other);
      return value == null ? BsonNull.VALUE : value;
    };
  }
}
