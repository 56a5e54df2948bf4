package dev.orrery.language.number;

import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDouble;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** A running standard deviation (Welford's method, in doubles) for $stdDevPop and $stdDevSamp. */
public final class NumberSpread {
  private long count;
  private double mean;
  private double squares;

  /** Adds a number; other values don't count. */
  public void add(@Nullable BsonValue value) {
    if (!Numbers.isNumber(value)) {
      return;
    }
    double number = Numbers.toDouble(value);
    count++;
    double delta = number - mean;
    // The guard keeps equal infinities from becoming NaN.
    if (delta != 0) {
      mean += delta / count;
      squares += delta * (number - mean);
    }
  }

  /** Adds all of another one, as when parts of a group are merged. */
  public void add(NumberSpread other) {
    if (other.count == 0) {
      return;
    }
    double delta = other.mean - mean;
    long total = count + other.count;
    if (delta != 0) {
      mean = (count * mean + other.count * other.mean) / total;
      squares += other.squares + delta * delta * ((double) count * other.count / total);
    } else {
      squares += other.squares;
    }
    count = total;
  }

  /** All parts of it, from which {@link #of} makes an equal one. */
  public BsonValue state() {
    return new BsonArray(
        List.of(new BsonInt64(count), new BsonDouble(mean), new BsonDouble(squares)));
  }

  /** The one with that state. */
  public static NumberSpread of(BsonValue state) {
    List<BsonValue> parts = state.asArray().getValues();
    var spread = new NumberSpread();
    spread.count = parts.get(0).asInt64().getValue();
    spread.mean = parts.get(1).asDouble().getValue();
    spread.squares = parts.get(2).asDouble().getValue();
    return spread;
  }

  /** The deviation: of a population with {@code lost} 0, of a sample with 1; else null. */
  public BsonValue result(int lost) {
    long degrees = count - lost;
    return degrees <= 0 ? BsonNull.VALUE : new BsonDouble(Math.sqrt(squares / degrees));
  }
}
