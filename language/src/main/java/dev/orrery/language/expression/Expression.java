package dev.orrery.language.expression;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * A parsed aggregation expression: immutable, without state between documents, to be evaluated as
 * often as wanted.
 *
 * <p>An expression fails at one of three times, and MongoDB's messages tell which: {@link
 * Expressions#parse} fails with the bare message (a stage prefixes "Invalid $project :: caused by
 * ::" and the like), {@link #optimize} because constants alone are wrong ("Failed to optimize
 * pipeline :: caused by ::"), {@link #evaluate} because of a document ("PlanExecutor error during
 * aggregation :: caused by ::"). Each throws the bare message; the caller, who knows which method
 * it called, adds the prefix.
 */
public interface Expression {
  /** The value for the document and variables in scope; null when it is missing. */
  @Nullable BsonValue evaluate(Scope scope);

  /** The expressions this one is made of. */
  List<Expression> operands();

  /** The same operator on other operands, as many as before. */
  Expression withOperands(List<Expression> operands);

  /** Whether it has one value for ever once all its operands are constant. */
  default boolean isFoldable() {
    return false;
  }

  /**
   * The same expression with its constant parts computed and, as far as there is memory, kept.
   * Computing them may fail, as in MongoDB, even if no document would ever reach them.
   */
  default Expression optimize() {
    List<Expression> operands = operands();
    if (operands.isEmpty()) {
      return this;
    }
    var optimized = new ArrayList<Expression>(operands.size());
    boolean isAllConstant = true;
    for (Expression operand : operands) {
      Expression better = operand.optimize();
      isAllConstant &= better instanceof Constant;
      optimized.add(better);
    }
    Expression result = withOperands(optimized);
    return isAllConstant && isFoldable() ? Folding.fold(result, optimized) : result;
  }

  /** Notes every field, variable and piece of metadata that evaluating this may read. */
  default void addDependencies(Dependencies dependencies) {
    for (Expression operand : operands()) {
      operand.addDependencies(dependencies);
    }
  }
}
