package dev.orrery.language.expression;

import dev.orrery.language.limit.Allowance;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonNull;
import org.bson.BsonValue;

/** {@code [a, b]}: the values of its operands, null where one is missing. */
record ArrayLiteral(List<Expression> operands) implements Expression {
  ArrayLiteral {
    operands = List.copyOf(operands);
  }

  @Override
  public BsonValue evaluate(Scope scope) {
    Allowance allowance = scope.allowance();
    allowance.steps(1 + operands.size());
    var values = new BsonArray(operands.size());
    long held = 0;
    try {
      for (int i = 0; i < operands.size(); i++) {
        BsonValue value = operands.get(i).evaluate(scope);
        held += ValueSize.hold(operands.get(i), value, allowance);
        values.add(value == null ? BsonNull.VALUE : value);
      }
      return values;
    } finally {
      if (held > 0) {
        allowance.release(held);
      }
    }
  }

  @Override
  public Expression withOperands(List<Expression> others) {
    return new ArrayLiteral(others);
  }

  @Override
  public boolean isFoldable() {
    return true;
  }

  @Override
  public Expression optimize() {
    return operands.isEmpty() ? new Constant(new BsonArray()) : Expression.super.optimize();
  }
}
