package dev.orrery.language.number;

import java.math.BigDecimal;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDecimal128;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.jspecify.annotations.Nullable;

/**
 * A running sum as {@code $sum} and {@code $avg} need it. Doubles and longs are added with 106
 * bits, so the order hardly matters; decimals are added apart. Values that are not numbers don't
 * count.
 */
public final class NumberSum {
  private static final double TWO_63 = 0x1p63;

  private double high;
  private double low;
  // Adds up without compensation, which NaN spoils as soon as a sum is past all doubles.
  private double plain;
  private Decimal128 decimals = Decimals.ZERO;
  private BsonType type = BsonType.INT32;
  private long count;

  public void add(@Nullable BsonValue value) {
    if (!Numbers.isNumber(value)) {
      return;
    }
    count++;
    type = Numbers.widest(type, value.getBsonType());
    switch (value.getBsonType()) {
      case INT32 -> addDouble(value.asInt32().getValue());
      case INT64 -> addLong(value.asInt64().getValue());
      case DOUBLE -> addDouble(value.asDouble().getValue());
      default -> decimals = Decimals.add(decimals, value.asDecimal128().getValue());
    }
  }

  /** Adds the sum of another one, as when parts of a group are merged. */
  public void add(NumberSum other) {
    addDouble(other.isSpoiled() ? other.plain : other.high);
    addDouble(other.isSpoiled() ? 0 : other.low);
    decimals = Decimals.add(decimals, other.decimals);
    type = Numbers.widest(type, other.type);
    count += other.count;
  }

  /** All parts of the sum, from which {@link #of} makes an equal one. */
  public BsonValue state() {
    return new BsonArray(
        List.of(
            new BsonDouble(high),
            new BsonDouble(low),
            new BsonDouble(plain),
            new BsonDecimal128(decimals),
            new BsonInt32(type.getValue()),
            new BsonInt64(count)));
  }

  /** The sum with that state. */
  public static NumberSum of(BsonValue state) {
    List<BsonValue> parts = state.asArray().getValues();
    var sum = new NumberSum();
    sum.high = parts.get(0).asDouble().getValue();
    sum.low = parts.get(1).asDouble().getValue();
    sum.plain = parts.get(2).asDouble().getValue();
    sum.decimals = parts.get(3).asDecimal128().getValue();
    sum.type = BsonType.findByValue(parts.get(4).asInt32().getValue());
    sum.count = parts.get(5).asInt64().getValue();
    return sum;
  }

  public long count() {
    return count;
  }

  /** The sum in the widest type seen; an int or long that does not fit becomes wider. */
  public BsonValue sum() {
    if (type == BsonType.DECIMAL128) {
      return new BsonDecimal128(Decimals.add(decimals, nonDecimal()));
    }
    if (type == BsonType.DOUBLE || !fitsLong()) {
      return new BsonDouble(toDouble());
    }
    return type == BsonType.INT64 ? new BsonInt64(toLong()) : Numbers.intOrLong(toLong());
  }

  /** The mean as a double or a decimal; null without any number. */
  public @Nullable BsonValue average() {
    if (count == 0) {
      return null;
    }
    if (type == BsonType.DECIMAL128) {
      Decimal128 total = Decimals.add(decimals, nonDecimal());
      return new BsonDecimal128(Decimals.divide(total, Decimals.of(count)));
    }
    return new BsonDouble(toDouble() / count);
  }

  private void addDouble(double value) {
    plain += value;
    double sum = high + value;
    double back = sum - high;
    double error = (high - (sum - back)) + (value - back);
    double rest = low + error;
    high = sum + rest;
    low = rest - (high - sum);
  }

  private void addLong(long value) {
    // A long has more bits than a double: split it into two parts that are exact.
    long upper = value >> 32 << 32;
    addDouble(upper);
    addDouble(value - upper);
  }

  private boolean isSpoiled() {
    return Double.isNaN(high);
  }

  private double toDouble() {
    return isSpoiled() ? plain : high + low;
  }

  private boolean fitsLong() {
    if (isSpoiled()) {
      return false;
    }
    return Math.abs(high) < TWO_63 || high == -TWO_63 && low >= 0 || high == TWO_63 && low < 0;
  }

  private long toLong() {
    return new BigDecimal(high).add(new BigDecimal(low)).longValue();
  }

  private Decimal128 nonDecimal() {
    if (isSpoiled()) {
      return Decimals.of(plain);
    }
    // Both parts are rounded to 34 digits before they are added, as in MongoDB.
    return Decimals.add(Decimals.of(new BigDecimal(high)), Decimals.of(new BigDecimal(low)));
  }
}
