package dev.orrery.language.aggregate.stage;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Whole numbers in specifications of stages. */
public final class WholeNumbers {
  private static final double TWO_63 = 0x1p63;

  private WholeNumbers() {}

  /** The argument of $limit and $skip. */
  public static long parseNonNegative(ErrorCode code, String stage, BsonValue value) {
    String fault = fault(value);
    if (fault == null && Numbers.toLong(value) < 0) {
      fault = "Expected a non-negative number in: ";
    }
    if (fault != null) {
      throw new CommandException(
          code,
          "invalid argument to " + stage + " stage: " + fault + BsonText.element(stage, value));
    }
    return Numbers.toLong(value);
  }

  private static @Nullable String fault(BsonValue value) {
    if (!Numbers.isNumber(value)) {
      return "Expected a number in: ";
    }
    double number = Numbers.toDouble(value);
    if (Double.isNaN(number)) {
      return "Expected an integer, but found NaN in: ";
    }
    if (number >= TWO_63 && !value.isInt64() || number < -TWO_63) {
      return "Cannot represent as a 64-bit integer: ";
    }
    return Numbers.isLong(value) ? null : "Expected an integer: ";
  }
}
