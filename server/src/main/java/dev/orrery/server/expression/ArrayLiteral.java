package dev.orrery.server.expression;

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
    scope.allowance().step();
    var values = new BsonArray(operands.size());
    for (int i = 0; i < operands.size(); i++) {
      BsonValue value = operands.get(i).evaluate(scope);
      values.add(value == null ? BsonNull.VALUE : value);
    }
    return values;
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
