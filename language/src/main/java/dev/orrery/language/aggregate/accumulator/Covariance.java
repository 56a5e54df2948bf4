package dev.orrery.language.aggregate.accumulator;

import dev.orrery.language.number.NumberSum;
import dev.orrery.language.number.Numbers;
import java.util.List;
import org.bson.BsonDecimal128;
import org.bson.BsonDouble;
import org.bson.BsonNull;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.jspecify.annotations.Nullable;

/**
 * {@code $covariancePop $covarianceSamp}: of pairs of numbers; other values don't count. A decimal
 * makes the result one; infinities and NaN don't count as pairs but spoil the sum.
 */
public final class Covariance implements Accumulator {
  private final int lost;
  private final NumberSum x = new NumberSum();
  private final NumberSum y = new NumberSum();
  private final NumberSum products = new NumberSum();

  public Covariance(int lost) {
    this.lost = lost;
  }

  @Override
  public void add(@Nullable BsonValue value) {
    boolean isPair =
        value != null
            && value.isArray()
            && value.asArray().size() == 2
            && value.asArray().stream().allMatch(Numbers::isNumber);
    if (!isPair) {
      return;
    }
    List<BsonValue> pair = value.asArray().getValues();
    if (!pair.stream().allMatch(Covariance::isFinite)) {
      products.add(nonFinite(pair));
      return;
    }
    BsonValue meanBefore = x.average();
    x.add(pair.get(0));
    y.add(pair.get(1));
    if (meanBefore != null) {
      BsonValue fromX = Numbers.subtract(pair.get(0), meanBefore);
      products.add(Numbers.multiply(fromX, Numbers.subtract(pair.get(1), y.average())));
    }
  }

  private static boolean isFinite(BsonValue number) {
    return number.isDecimal128()
        ? number.asDecimal128().getValue().isFinite()
        : Double.isFinite(Numbers.toDouble(number));
  }

  private static BsonValue nonFinite(List<BsonValue> pair) {
    double sum = 0; // of infinities of both signs it is NaN
    for (BsonValue number : pair) {
      sum += isFinite(number) ? 0 : Numbers.toDouble(number);
    }
    if (pair.stream().noneMatch(number -> number.getBsonType() == BsonType.DECIMAL128)) {
      return new BsonDouble(sum);
    }
    Decimal128 infinity = sum > 0 ? Decimal128.POSITIVE_INFINITY : Decimal128.NEGATIVE_INFINITY;
    return new BsonDecimal128(Double.isNaN(sum) ? Decimal128.NaN : infinity);
  }

  @Override
  public BsonValue result() {
    long count = x.count();
    if (count == 1 && lost == 0) {
      return new BsonDouble(0);
    }
    return count <= lost
        ? BsonNull.VALUE
        : Numbers.divide(products.sum(), new BsonDouble(count - lost));
  }
}
