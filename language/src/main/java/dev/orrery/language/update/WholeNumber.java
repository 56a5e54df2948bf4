package dev.orrery.language.update;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.number.Numbers;
import org.bson.BsonDouble;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * A numeric argument that must be whole: 2.0 is, 2.5 is not. What is wrong is kept as words, since
 * operators report it differently.
 */
record WholeNumber(long value, @Nullable String error) {
  private static final double TWO_63 = 0x1p63;

  static WholeNumber parse(String name, BsonValue value) {
    if (Numbers.isLong(value)) {
      return new WholeNumber(Numbers.toLong(value), null);
    }
    return new WholeNumber(0, words(value) + BsonText.element(name, value));
  }

  private static String words(BsonValue value) {
    if (!Numbers.isNumber(value)) {
      return "Expected a number in: ";
    }
    if (value instanceof BsonDouble number) {
      if (Double.isNaN(number.getValue())) {
        return "Expected an integer, but found NaN in: ";
      }
      if (number.getValue() < TWO_63 && number.getValue() >= -TWO_63) {
        return "Expected an integer: ";
      }
    }
    return "Cannot represent as a 64-bit integer: ";
  }
}
