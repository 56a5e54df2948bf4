package dev.orrery.server.aggregate;

import dev.orrery.server.expression.Dependencies;
import dev.orrery.server.expression.Expression;
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
  public BsonValue[] compute(WindowPartition partition) {
    var results = new BsonValue[partition.size()];
    var scope = partition.run().scope();
    for (int i = 0; i < results.length; i++) {
      long place = i + by;
      if (place < 0 || place >= results.length) {
        results[i] = fallback;
        continue;
      }
      BsonValue value = output.evaluate(scope.root(partition.documents().get((int) place)));
      results[i] = value == null ? BsonNull.VALUE : value;
    }
    return results;
  }
}
