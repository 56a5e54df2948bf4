package dev.orrery.language.expression;

import dev.orrery.language.limit.Allowance;
import java.util.List;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** An operator of two operands. */
record BinaryCall(Function function, Expression left, Expression right) implements Expression {
  /** Computes a value from two; null stands for missing on both sides. */
  @FunctionalInterface
  interface Function {
    @Nullable BsonValue apply(@Nullable BsonValue left, @Nullable BsonValue right);
  }

  @Override
  public @Nullable BsonValue evaluate(Scope scope) {
    BsonValue one = left.evaluate(scope);
    Allowance allowance = scope.allowance();
    long held = ValueSize.hold(left, one, allowance);
    try {
      BsonValue other = right.evaluate(scope);
      allowance.step();
      Work.count(one, allowance);
      Work.count(other, allowance);
      return function.apply(one, other);
    } finally {
      if (held > 0) {
        allowance.release(held);
      }
    }
  }

  @Override
  public List<Expression> operands() {
    return List.of(left, right);
  }

  @Override
  public Expression withOperands(List<Expression> others) {
    return new BinaryCall(function, others.get(0), others.get(1));
  }

  @Override
  public boolean isFoldable() {
    return true;
  }
}
