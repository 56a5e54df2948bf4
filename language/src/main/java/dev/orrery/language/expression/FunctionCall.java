package dev.orrery.language.expression;

import dev.orrery.language.limit.Allowance;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** An operator that evaluates all its operands, then computes its value from theirs. */
final class FunctionCall implements Expression {
  /** Computes a value from those of the operands; null stands for missing on both sides. */
  @FunctionalInterface
  interface Function {
    @Nullable BsonValue apply(@Nullable BsonValue[] values);
  }

  /** Which constant operands may be computed ahead when others are not constant. */
  enum Grouping {
    /** None: all operands are constant or nothing is computed. */
    NONE,
    /** Those before the first that is not constant: {@code (1 + 2) + a}. */
    LEFT,
    /** Neighbours: {@code a + (1 + 2) + b}. */
    NEIGHBOURS,
    /** All, brought together at the end: {@code a + b + (1 + 2)}. */
    ALL
  }

  private final Function function;
  private final Grouping grouping;
  private final Expression[] operands;

  FunctionCall(Function function, List<Expression> operands) {
    this(function, Grouping.NONE, operands);
  }

  FunctionCall(Function function, Grouping grouping, List<Expression> operands) {
    this.function = function;
    this.grouping = grouping;
    this.operands = operands.toArray(Expression[]::new);
  }

  @Override
  public @Nullable BsonValue evaluate(Scope scope) {
    Allowance allowance = scope.allowance();
    allowance.step();
    var values = new BsonValue[operands.length];
    long held = 0;
    try {
      for (int i = 0; i < operands.length; i++) {
        values[i] = operands[i].evaluate(scope);
        Work.count(values[i], allowance);
        held += ValueSize.hold(operands[i], values[i], allowance);
      }
      return function.apply(values);
    } finally {
      if (held > 0) {
        allowance.release(held);
      }
    }
  }

  @Override
  public List<Expression> operands() {
    return List.of(operands);
  }

  @Override
  public FunctionCall withOperands(List<Expression> others) {
    return new FunctionCall(function, grouping, others);
  }

  @Override
  public boolean isFoldable() {
    return true;
  }

  @Override
  public Expression optimize() {
    if (operands.length == 0) {
      return new Constant(evaluate(new Scope()));
    }
    Expression optimized = Expression.super.optimize();
    return optimized instanceof FunctionCall call && grouping != Grouping.NONE
        ? call.group()
        : optimized;
  }

  private FunctionCall group() {
    var grouped = new ArrayList<Expression>(operands.length);
    var constants = new ArrayList<Expression>();
    boolean isOpen = true;
    for (Expression operand : operands) {
      if (operand instanceof Constant && isOpen) {
        constants.add(operand);
        continue;
      }
      if (grouping != Grouping.ALL) {
        flush(constants, grouped);
      }
      grouped.add(operand);
      isOpen = grouping != Grouping.LEFT;
    }
    flush(constants, grouped);
    return withOperands(grouped);
  }

  private void flush(List<Expression> constants, List<Expression> into) {
    if (constants.size() > 1) {
      into.add(Folding.fold(withOperands(constants), constants));
    } else {
      into.addAll(constants);
    }
    constants.clear();
  }
}
