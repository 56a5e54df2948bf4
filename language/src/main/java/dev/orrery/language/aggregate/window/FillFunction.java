package dev.orrery.language.aggregate.window;

import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.aggregate.stage.StageFailures;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.Truth;
import dev.orrery.language.expression.WatchedOrder;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.number.Numbers;
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
  public Values open(WindowPartition partition) {
    return isLinear ? new Linear(partition) : new Forward(partition);
  }

  private BsonValue value(WindowPartition partition, int place) {
    BsonValue value = partition.evaluate(input, place);
    return Truth.isNullish(value) ? BsonNull.VALUE : value;
  }

  /** The last value that was not null. */
  private final class Forward implements Values {
    private final WindowPartition partition;
    private BsonValue last = BsonNull.VALUE;

    Forward(WindowPartition partition) {
      this.partition = partition;
    }

    @Override
    public BsonValue at(int place) {
      BsonValue value = value(partition, place);
      last = value.isNull() ? last : value;
      return last;
    }

    @Override
    public long heapBytes() {
      return Documents.heapBytes(last);
    }
  }

  /** A number, and where it stands. */
  private record Known(int place, BsonValue number) {}

  /** Reads ahead to the next number when there is none. */
  private final class Linear implements Values {
    private final WindowPartition partition;
    private int read;
    private @Nullable Known before;
    private @Nullable Known after;

    Linear(WindowPartition partition) {
      this.partition = partition;
    }

    @Override
    public BsonValue at(int place) {
      if (place == read) {
        readOn();
      }
      if (after != null && after.place == place) {
        before = after;
        return after.number;
      }
      return before == null || after == null || after.place < place
          ? BsonNull.VALUE
          : between(partition, before, after, place);
    }

    private void readOn() {
      for (boolean isFound = false; !isFound && read < partition.size(); read++) {
        Allowance.current().step();
        requireDifferent(partition, read);
        BsonValue value = value(partition, read);
        if (value.isNull()) {
          continue;
        }
        if (!Numbers.isNumber(value)) {
          throw StageFailures.typeMismatch(
              "Value to be filled must be numeric or nullish, but found "
                  + BsonText.typeName(value));
        }
        after = new Known(read, value);
        isFound = true;
      }
    }
  }

  private static void requireDifferent(WindowPartition partition, int place) {
    if (place > 0
        && WatchedOrder.CANONICAL.compare(
                partition.sortValue(place), partition.sortValue(place - 1))
            == 0) {
      throw new CommandException(
          ErrorCode.LOCATION_6050106, "There can be no repeated values in the sort field");
    }
  }

  private static BsonValue between(
      WindowPartition partition, Known before, Known after, int place) {
    BsonValue x0 = position(partition.sortValue(before.place));
    BsonValue x1 = position(partition.sortValue(after.place));
    BsonValue x = position(partition.sortValue(place));
    BsonValue rise = Numbers.subtract(after.number, before.number);
    BsonValue share = Numbers.divide(Numbers.subtract(x, x0), Numbers.subtract(x1, x0));
    return Numbers.add(before.number, Numbers.multiply(rise, share));
  }

  private static BsonValue position(@Nullable BsonValue value) {
    if (value != null && value.isDateTime()) {
      return new BsonInt64(value.asDateTime().getValue());
    }
    if (!Numbers.isNumber(value)) {
      throw StageFailures.typeMismatch(
          "Value to be filled must be numeric or nullish, but found " + BsonText.typeName(value));
    }
    return value;
  }
}
