package dev.orrery.language.expression;

import dev.orrery.language.limit.Allowance;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** {@code {name: expression, ...}}: a document of computed fields; missing ones are left out. */
record ObjectLiteral(List<String> names, List<Expression> operands) implements Expression {
  ObjectLiteral {
    names = List.copyOf(names);
    operands = List.copyOf(operands);
  }

  @Override
  public BsonValue evaluate(Scope scope) {
    Allowance allowance = scope.allowance();
    allowance.steps(1 + names.size());
    var document = new BsonDocument(names.size());
    long held = 0;
    try {
      for (int i = 0; i < names.size(); i++) {
        BsonValue value = operands.get(i).evaluate(scope);
        held += ValueSize.hold(operands.get(i), value, allowance);
        if (value != null) {
          document.put(names.get(i), value);
        }
      }
      return document;
    } finally {
      if (held > 0) {
        allowance.release(held);
      }
    }
  }

  @Override
  public Expression withOperands(List<Expression> others) {
    return new ObjectLiteral(names, others);
  }

  @Override
  public boolean isFoldable() {
    return true;
  }

  @Override
  public Expression optimize() {
    return operands.isEmpty() ? new Constant(new BsonDocument()) : Expression.super.optimize();
  }
}
