package dev.orrery.server.aggregate;

import dev.orrery.server.expression.Dependencies;
import dev.orrery.server.expression.Scope;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** An accumulator over the window of each document. */
record WindowAccumulation(Accumulation accumulation, WindowBounds bounds)
    implements WindowFunction {
  @Override
  public WindowFunction optimize() {
    return new WindowAccumulation(accumulation.optimize(), bounds);
  }

  @Override
  public void addDependencies(Dependencies dependencies) {
    accumulation.addDependencies(dependencies);
  }

  @Override
  public BsonValue[] compute(WindowPartition partition) {
    Scope scope = partition.run().scope();
    @Nullable BsonValue[] inputs = new BsonValue[partition.size()];
    for (int i = 0; i < inputs.length; i++) {
      inputs[i] = accumulation.evaluate(scope.root(partition.documents().get(i)));
    }
    WindowBounds.Ranges ranges = bounds.resolve(partition);
    var results = new BsonValue[inputs.length];
    Accumulator state = null;
    int from = 0;
    int to = 0;
    for (int i = 0; i < inputs.length; i++) {
      // A window that only grows at its end needs no new start.
      if (state == null || ranges.from()[i] != from || ranges.to()[i] < to) {
        state = accumulation.create(scope.root(new BsonDocument()));
        from = ranges.from()[i];
        to = from;
      }
      boolean isSame = i > 0 && to == ranges.to()[i] && to > from;
      for (; to < ranges.to()[i]; to++) {
        state.add(inputs[to]);
      }
      boolean wasSame = i > 0 && ranges.from()[i - 1] == from && ranges.to()[i - 1] == to;
      results[i] = isSame && wasSame ? results[i - 1] : state.result();
    }
    return results;
  }
}
