package dev.orrery.server.expression;

import java.util.List;
import java.util.Set;

/** The table of all expression operators. */
final class ExpressionOperators {
  static final OperatorTable<ExpressionOperator> TABLE =
      new OperatorTable<>(
          List.of(ArithmeticExpressions.OPERATORS), Set.of("$accumulator", "$function"));

  private ExpressionOperators() {}
}
