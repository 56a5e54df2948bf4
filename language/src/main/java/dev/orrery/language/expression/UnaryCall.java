package dev.orrery.language.expression;

import dev.orrery.language.limit.Allowance;
import java.util.List;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** An operator of one operand. */
record UnaryCall(Function function, Expression operand) implements Expression {
  /** Computes a value from one; null stands for missing on both sides. */
  @FunctionalInterface
  interface Function {
    @Nullable BsonValue apply(@Nullable BsonValue value);
  }

  @Override
  public @Nullable BsonValue evaluate(Scope scope) {
    BsonValue value = operand.evaluate(scope);
    Allowance allowance = scope.allowance();
    allowance.step();
    Work.count(value, allowance);
    return function.apply(value);
  }

  @Override
  public List<Expression> operands() {
    return List.of(operand);
  }

  @Override
  public Expression withOperands(List<Expression> others) {
    return new UnaryCall(function, others.get(0));
  }

  @Override
  public boolean isFoldable() {
    return true;
  }
}
