package dev.orrery.server.expression;

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
    scope.allowance().step();
    var document = new BsonDocument(names.size());
    for (int i = 0; i < names.size(); i++) {
      BsonValue value = operands.get(i).evaluate(scope);
      if (value != null) {
        document.put(names.get(i), value);
      }
    }
    return document;
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
