package dev.orrery.language.expression;

import static java.util.Map.entry;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import java.util.Map;
import java.util.function.LongBinaryOperator;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $bitAnd $bitNot $bitOr $bitXor}: bits of ints and longs; a long makes it a long. */
final class BitwiseExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          combining("$bitAnd", -1, (a, b) -> a & b),
          entry("$bitNot", Arguments.unary(BitwiseExpressions::not)),
          combining("$bitOr", 0, (a, b) -> a | b),
          combining("$bitXor", 0, (a, b) -> a ^ b));

  private BitwiseExpressions() {}

  private static Map.Entry<String, ExpressionOperator> combining(
      String name, int identity, LongBinaryOperator operator) {
    return entry(
        name,
        Arguments.any(
            FunctionCall.Grouping.ALL,
            values -> combine(name, new BsonInt32(identity), operator, values)));
  }

  private static BsonValue combine(
      String name, BsonValue identity, LongBinaryOperator operator, @Nullable BsonValue[] values) {
    BsonValue result = identity;
    for (BsonValue value : values) {
      if (Truth.isNullish(value)) {
        return BsonNull.VALUE;
      }
      if (!value.isInt32() && !value.isInt64()) {
        throw new CommandException(
            ErrorCode.TYPE_MISMATCH, name + " only supports int and long operands.");
      }
      long bits = operator.applyAsLong(Numbers.toLong(result), Numbers.toLong(value));
      result =
          result.isInt64() || value.isInt64() ? new BsonInt64(bits) : new BsonInt32((int) bits);
    }
    return result;
  }

  private static BsonValue not(@Nullable BsonValue value) {
    if (Truth.isNullish(value)) {
      return BsonNull.VALUE;
    }
    if (value.isInt32()) {
      return new BsonInt32(~value.asInt32().getValue());
    }
    if (value.isInt64()) {
      return new BsonInt64(~value.asInt64().getValue());
    }
    if (Numbers.isNumber(value)) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH,
          "$bitNot only supports int and long, not: " + BsonText.typeName(value) + ".");
    }
    throw new CommandException(
        ErrorCode.LOCATION_28765,
        "$bitNot only supports numeric types, not " + BsonText.typeName(value));
  }
}
