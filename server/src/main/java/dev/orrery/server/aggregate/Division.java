package dev.orrery.server.aggregate;

import dev.orrery.server.expression.Numbers;
import java.math.BigDecimal;
import java.math.MathContext;
import org.bson.BsonDecimal128;
import org.bson.BsonDouble;
import org.bson.BsonValue;
import org.bson.types.Decimal128;

/** Division of numbers: a double, or a decimal if one of them is. */
final class Division {
  private Division() {}

  static BsonValue of(BsonValue dividend, BsonValue divisor) {
    boolean isDecimal = dividend.isDecimal128() || divisor.isDecimal128();
    if (!isDecimal) {
      return new BsonDouble(Numbers.toDouble(dividend) / Numbers.toDouble(divisor));
    }
    Decimal128 left = Numbers.toDecimal(dividend);
    Decimal128 right = Numbers.toDecimal(divisor);
    if (!left.isFinite() || !right.isFinite()) {
      return new BsonDecimal128(Decimal128.NaN);
    }
    BigDecimal quotient =
        left.bigDecimalValue().divide(right.bigDecimalValue(), MathContext.DECIMAL128);
    return new BsonDecimal128(new Decimal128(quotient));
  }
}
