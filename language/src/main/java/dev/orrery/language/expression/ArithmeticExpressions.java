package dev.orrery.language.expression;

import static dev.orrery.language.error.BsonText.typeName;
import static java.util.Map.entry;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Decimals;
import dev.orrery.language.number.Numbers;
import java.math.RoundingMode;
import java.util.Map;
import org.bson.BsonDateTime;
import org.bson.BsonDecimal128;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.jspecify.annotations.Nullable;

/** {@code $add $divide $mod $multiply $subtract}: arithmetic over numbers of mixed types. */
final class ArithmeticExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          entry("$add", Arguments.any(FunctionCall.Grouping.LEFT, ArithmeticExpressions::add)),
          entry("$divide", Arguments.binary(ArithmeticExpressions::divide)),
          entry("$mod", Arguments.binary(ArithmeticExpressions::mod)),
          entry(
              "$multiply",
              Arguments.any(FunctionCall.Grouping.LEFT, ArithmeticExpressions::multiply)),
          entry("$subtract", Arguments.binary(ArithmeticExpressions::subtract)));

  private static final double TWO_63 = 0x1p63;

  private ArithmeticExpressions() {}

  /** Sums numbers; one of them may be a date, which makes the result a date. */
  private static BsonValue add(@Nullable BsonValue[] values) {
    BsonValue sum = null;
    Long date = null;
    for (BsonValue value : values) {
      if (Truth.isNullish(value)) {
        return BsonNull.VALUE;
      }
      if (value.isDateTime()) {
        if (date != null) {
          throw new CommandException(
              ErrorCode.LOCATION_16612, "only one date allowed in an $add expression");
        }
        long millis = value.asDateTime().getValue();
        date = sum == null ? millis : addMillis(millis, sum);
      } else if (!Numbers.isNumber(value)) {
        throw new CommandException(
            ErrorCode.TYPE_MISMATCH,
            "$add only supports numeric or date types, not " + typeName(value));
      } else if (date != null) {
        date = addMillis(date, value);
      } else {
        sum = sum == null ? value : Numbers.add(sum, value);
      }
    }
    if (date != null) {
      return new BsonDateTime(date);
    }
    return sum == null ? new BsonInt32(0) : sum;
  }

  private static long addMillis(long date, BsonValue number) {
    try {
      return Math.addExact(date, wholeMillis(number));
    } catch (ArithmeticException e) {
      throw dateOverflow();
    }
  }

  /** A number as milliseconds: doubles are rounded half away from zero, decimals half to even. */
  private static long wholeMillis(BsonValue number) {
    if (number.isDouble()) {
      double value = number.asDouble().getValue();
      if (!(value >= -TWO_63 && value < TWO_63)) {
        throw dateOverflow();
      }
      return (long) Math.copySign(Math.floor(Math.abs(value) + 0.5), value);
    }
    if (number.isDecimal128()) {
      Decimal128 rounded =
          Decimals.quantize(number.asDecimal128().getValue(), 0, RoundingMode.HALF_EVEN);
      if (!Numbers.isLong(new BsonDecimal128(rounded))) {
        throw dateOverflow();
      }
      return Decimals.exact(rounded).longValue();
    }
    return Numbers.toLong(number);
  }

  private static CommandException dateOverflow() {
    return new CommandException(ErrorCode.OVERFLOW, "date overflow");
  }

  private static BsonValue multiply(@Nullable BsonValue[] values) {
    BsonValue product = null;
    for (BsonValue value : values) {
      if (Truth.isNullish(value)) {
        return BsonNull.VALUE;
      }
      if (!Numbers.isNumber(value)) {
        throw new CommandException(
            ErrorCode.TYPE_MISMATCH,
            "$multiply only supports numeric types, not " + typeName(value));
      }
      product = product == null ? value : Numbers.multiply(product, value);
    }
    return product == null ? new BsonInt32(1) : product;
  }

  private static BsonValue subtract(@Nullable BsonValue left, @Nullable BsonValue right) {
    if (Numbers.isNumber(left) && Numbers.isNumber(right)) {
      return Numbers.subtract(left, right);
    }
    if (Truth.isNullish(left) || Truth.isNullish(right)) {
      return BsonNull.VALUE;
    }
    if (left.isDateTime() && right.isDateTime()) {
      return new BsonInt64(left.asDateTime().getValue() - right.asDateTime().getValue());
    }
    if (left.isDateTime() && Numbers.isNumber(right)) {
      return subtractFromDate(left.asDateTime().getValue(), right);
    }
    // MongoDB writes this one type with a capital.
    String from = left.isDateTime() ? "Date" : typeName(left);
    throw new CommandException(
        ErrorCode.TYPE_MISMATCH, "can't $subtract " + typeName(right) + " from " + from);
  }

  private static BsonValue subtractFromDate(long millis, BsonValue right) {
    try {
      return new BsonDateTime(Math.subtractExact(millis, wholeMillis(right)));
    } catch (ArithmeticException e) {
      throw dateOverflow();
    }
  }

  private static BsonValue divide(@Nullable BsonValue left, @Nullable BsonValue right) {
    if (Numbers.isNumber(left) && Numbers.isNumber(right)) {
      return divideNumbers(left, right);
    }
    if (Truth.isNullish(left) || Truth.isNullish(right)) {
      return BsonNull.VALUE;
    }
    throw new CommandException(
        ErrorCode.TYPE_MISMATCH,
        "$divide only supports numeric types, not " + typeName(left) + " and " + typeName(right));
  }

  private static BsonValue divideNumbers(BsonValue left, BsonValue right) {
    if (Numbers.widest(left, right) == BsonType.DECIMAL128) {
      Decimal128 divisor = Numbers.toDecimal(right);
      if (Decimals.isZero(divisor)) {
        throw divisionByZero();
      }
      return new BsonDecimal128(Decimals.divide(Numbers.toDecimal(left), divisor));
    }
    double divisor = Numbers.toDouble(right);
    if (divisor == 0) {
      throw divisionByZero();
    }
    return new BsonDouble(Numbers.toDouble(left) / divisor);
  }

  private static CommandException divisionByZero() {
    return new CommandException(ErrorCode.BAD_VALUE, "can't $divide by zero");
  }

  private static BsonValue mod(@Nullable BsonValue left, @Nullable BsonValue right) {
    if (Numbers.isNumber(left) && Numbers.isNumber(right)) {
      return modNumbers(left, right);
    }
    if (Truth.isNullish(left) || Truth.isNullish(right)) {
      return BsonNull.VALUE;
    }
    throw new CommandException(
        ErrorCode.LOCATION_16611,
        "$mod only supports numeric types, not " + typeName(left) + " and " + typeName(right));
  }

  private static BsonValue modNumbers(BsonValue left, BsonValue right) {
    if (Numbers.widest(left, right) == BsonType.DECIMAL128) {
      Decimal128 divisor = Numbers.toDecimal(right);
      if (Decimals.isZero(divisor)) {
        throw new CommandException(ErrorCode.LOCATION_5733415, "can't $mod by zero");
      }
      return new BsonDecimal128(Decimals.remainder(Numbers.toDecimal(left), divisor));
    }
    double divisor = Numbers.toDouble(right);
    if (divisor == 0) {
      throw new CommandException(ErrorCode.LOCATION_16610, "can't $mod by zero");
    }
    // A divisor that is a double with an int's value counts as an int.
    if (left.isDouble() || right.isDouble() && !Numbers.isInt(right)) {
      return new BsonDouble(Numbers.toDouble(left) % divisor);
    }
    long remainder = Numbers.toLong(left) % Numbers.toLong(right);
    return left.isInt64() || right.isInt64()
        ? new BsonInt64(remainder)
        : new BsonInt32((int) remainder);
  }
}
