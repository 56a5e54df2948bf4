package dev.orrery.language.expression;

import static dev.orrery.language.error.BsonText.typeName;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.DoubleText;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Decimals;
import dev.orrery.language.number.Numbers;
import java.math.BigDecimal;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import org.bson.BsonDecimal128;
import org.bson.BsonDouble;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.bson.types.Decimal128;

/** Operators of one number: nothing gives null, what is no number is refused. */
final class Numeric {
  private Numeric() {}

  /** An operator whose function gets numbers only. */
  static Map.Entry<String, ExpressionOperator> unary(
      String name, UnaryOperator<BsonValue> function) {
    return Map.entry(
        name,
        Arguments.unary(
            value -> {
              if (Numbers.isNumber(value)) {
                return function.apply(value);
              }
              if (Truth.isNullish(value)) {
                return BsonNull.VALUE;
              }
              throw new CommandException(
                  ErrorCode.LOCATION_28765,
                  name + " only supports numeric types, not " + typeName(value));
            }));
  }

  /** A function of doubles, and of decimals for decimals; ints and longs become doubles. */
  static BsonValue apply(
      BsonValue number, DoubleUnaryOperator doubles, UnaryOperator<Decimal128> decimals) {
    return number.isDecimal128()
        ? new BsonDecimal128(decimals.apply(number.asDecimal128().getValue()))
        : new BsonDouble(doubles.applyAsDouble(Numbers.toDouble(number)));
  }

  /**
   * A function of finite decimals. NaN and infinities go through doubles, and so does what the
   * function answers with null because its result is infinite or zero.
   */
  static Decimal128 finite(
      Decimal128 value, UnaryOperator<BigDecimal> function, DoubleUnaryOperator others) {
    BigDecimal result = value.isFinite() ? function.apply(Decimals.exact(value)) : null;
    return result != null
        ? Decimals.of(result)
        : Decimals.of(others.applyAsDouble(Decimals.toDouble(value)));
  }

  /** A bare number as C++ streams print it, for messages. */
  static String brief(BsonValue number) {
    return DoubleText.brief(Numbers.toDouble(number));
  }
}
