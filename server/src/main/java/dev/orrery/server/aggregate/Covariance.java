package dev.orrery.server.aggregate;

import dev.orrery.server.expression.Numbers;
import org.bson.BsonDouble;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $covariancePop $covarianceSamp}: of pairs of numbers; other values don't count. */
final class Covariance implements Accumulator {
  private final int lost;
  private long count;
  private double meanX;
  private double meanY;
  private double products;

  Covariance(int lost) {
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
    double x = Numbers.toDouble(value.asArray().get(0));
    double y = Numbers.toDouble(value.asArray().get(1));
    count++;
    double fromMeanX = x - meanX;
    meanX += fromMeanX / count;
    meanY += (y - meanY) / count;
    products += fromMeanX * (y - meanY);
  }

  @Override
  public BsonValue result() {
    long degrees = count - lost;
    return degrees <= 0 ? BsonNull.VALUE : new BsonDouble(products / degrees);
  }
}
