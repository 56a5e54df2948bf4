package dev.orrery.language.aggregate.window;

import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.number.Numbers;
import java.math.BigDecimal;
import java.math.MathContext;
import org.bson.BsonDecimal128;
import org.bson.BsonDouble;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.jspecify.annotations.Nullable;

/** {@code $expMovingAvg}: a mean in which older values weigh less and less. */
record MovingAverageFunction(Expression input, BigDecimal alpha) implements WindowFunction {
  @Override
  public WindowFunction optimize() {
    return new MovingAverageFunction(input.optimize(), alpha);
  }

  @Override
  public void addDependencies(Dependencies dependencies) {
    input.addDependencies(dependencies);
  }

  @Override
  public Values open(WindowPartition partition) {
    BigDecimal rest = BigDecimal.ONE.subtract(alpha);
    return new Values() {
      private @Nullable BigDecimal mean;
      private boolean isDecimal;

      @Override
      public BsonValue at(int place) {
        BsonValue value = partition.evaluate(input, place);
        if (isFinite(value)) {
          isDecimal |= value.isDecimal128();
          BigDecimal number = Numbers.toDecimal(value).bigDecimalValue();
          mean =
              mean == null
                  ? number
                  : number
                      .multiply(alpha, MathContext.DECIMAL128)
                      .add(mean.multiply(rest, MathContext.DECIMAL128), MathContext.DECIMAL128);
        }
        return result(mean, isDecimal);
      }
    };
  }

  private static boolean isFinite(@Nullable BsonValue value) {
    return Numbers.isNumber(value)
        && (value.isDecimal128()
            ? value.asDecimal128().getValue().isFinite()
            : Double.isFinite(Numbers.toDouble(value)));
  }

  private static BsonValue result(@Nullable BigDecimal mean, boolean isDecimal) {
    if (mean == null) {
      return BsonNull.VALUE;
    }
    return isDecimal
        ? new BsonDecimal128(new Decimal128(mean.round(MathContext.DECIMAL128)))
        : new BsonDouble(mean.doubleValue());
  }
}
