package dev.orrery.language.expression;

import java.util.List;
import java.util.Set;

/** The table of all expression operators. */
final class ExpressionOperators {
  static final OperatorTable<ExpressionOperator> TABLE =
      new OperatorTable<>(
          List.of(
              ArithmeticExpressions.OPERATORS,
              ArrayExpressions.OPERATORS,
              ArraySortExpressions.OPERATORS,
              BitwiseExpressions.OPERATORS,
              BooleanExpressions.OPERATORS,
              ComparisonExpressions.OPERATORS,
              ConditionalExpressions.OPERATORS,
              DateExpressions.OPERATORS,
              DateMathExpressions.OPERATORS,
              DateStringExpressions.OPERATORS,
              IterationExpressions.OPERATORS,
              MathExpressions.OPERATORS,
              MiscExpressions.OPERATORS,
              ObjectExpressions.OPERATORS,
              PercentileExpressions.OPERATORS,
              RegexExpressions.OPERATORS,
              ReplaceExpressions.OPERATORS,
              SetExpressions.OPERATORS,
              StringExpressions.OPERATORS,
              SuffixExpression.OPERATORS,
              SummaryExpressions.OPERATORS,
              TrigonometryExpressions.OPERATORS,
              TypeExpressions.OPERATORS),
          Set.of("$accumulator", "$function"));

  private ExpressionOperators() {}
}
