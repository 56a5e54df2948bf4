package dev.orrery.language.aggregate.window;

import dev.orrery.language.aggregate.accumulator.Accumulation;
import dev.orrery.language.aggregate.accumulator.Accumulator;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Scope;
import dev.orrery.language.limit.Allowance;
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
  public Values open(WindowPartition partition) {
    return bounds.isOpenBefore() ? new Growing(partition) : new Sliding(partition);
  }

  private Accumulator create(WindowPartition partition) {
    return accumulation.create(partition.run().scope().root(new BsonDocument()));
  }

  private @Nullable BsonValue input(WindowPartition partition, int place) {
    Scope scope = partition.run().scope();
    return accumulation.evaluate(scope.root(partition.document(place)));
  }

  /** Windows that begin with the partition: each only adds to the one before. */
  private final class Growing implements Values {
    private final WindowPartition partition;
    private final WindowBounds.Position window;
    private final Accumulator state;
    private int added;
    private @Nullable BsonValue result;

    Growing(WindowPartition partition) {
      this.partition = partition;
      this.window = bounds.open(partition);
      this.state = create(partition);
    }

    @Override
    public BsonValue at(int place) {
      window.moveTo(place);
      if (result == null || added < window.to()) {
        for (; added < window.to(); added++) {
          Allowance.current().step();
          state.add(input(partition, added));
          partition.limit(heapBytes());
        }
        result = state.result();
      }
      return result;
    }

    @Override
    public long heapBytes() {
      return state.heapBytes();
    }
  }

  /** Windows that lose documents at their start, and are added up anew when they do. */
  private final class Sliding implements Values {
    private final WindowPartition partition;
    private final WindowBounds.Position window;
    private final WindowInputs inputs;
    private Accumulator state;
    private int from;
    private int to = -1;
    private @Nullable BsonValue result;

    Sliding(WindowPartition partition) {
      this.partition = partition;
      this.window = bounds.open(partition);
      this.inputs = new WindowInputs(place -> input(partition, place));
      this.state = create(partition);
    }

    @Override
    public BsonValue at(int place) {
      window.moveTo(place);
      if (result != null && from == window.from() && to == window.to()) {
        return result;
      }
      boolean isGrown = from == window.from();
      from = window.from();
      to = window.to();
      if (isGrown) {
        inputs.moveTo(from, to, this::add);
      } else {
        inputs.moveTo(from, to, value -> partition.limit(inputs.heapBytes()));
        state = create(partition);
        inputs.iterator().forEachRemaining(value -> add(value.orElse(null)));
      }
      result = state.result();
      return result;
    }

    private void add(@Nullable BsonValue value) {
      Allowance.current().step();
      state.add(value);
      partition.limit(heapBytes());
    }

    @Override
    public long heapBytes() {
      return inputs.heapBytes() + state.heapBytes();
    }
  }
}
