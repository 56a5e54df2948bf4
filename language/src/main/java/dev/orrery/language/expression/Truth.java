package dev.orrery.language.expression;

import dev.orrery.language.number.Decimals;
import org.bson.BsonBoolean;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.jspecify.annotations.Nullable;

/** What counts as true, and what as nothing. */
public final class Truth {
  private Truth() {}

  /** Missing, null, undefined, false and zero are false; all else is true, NaN and "" included. */
  public static boolean isTrue(@Nullable BsonValue value) {
    if (value == null) {
      return false;
    }
    return switch (value.getBsonType()) {
      case BOOLEAN -> value.asBoolean().getValue();
      case DOUBLE -> value.asDouble().getValue() != 0;
      case INT32 -> value.asInt32().getValue() != 0;
      case INT64 -> value.asInt64().getValue() != 0;
      case DECIMAL128 -> !isZero(value.asDecimal128().getValue());
      case NULL, UNDEFINED -> false;
      default -> true;
    };
  }

  /** Missing, null or undefined. */
  public static boolean isNullish(@Nullable BsonValue value) {
    return value == null || value.isNull() || value.getBsonType() == org.bson.BsonType.UNDEFINED;
  }

  static BsonBoolean of(boolean value) {
    return value ? BsonBoolean.TRUE : BsonBoolean.FALSE;
  }

  private static boolean isZero(Decimal128 value) {
    return value.isFinite() && Decimals.isZero(value);
  }
}
