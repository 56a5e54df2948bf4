package dev.orrery.language.expression;

import static java.util.Map.entry;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.BsonValue;

/** {@code $and $not $or}. */
public final class BooleanExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          entry("$and", (name, argument, context) -> new Chain(false, list(argument, context))),
          entry("$not", Arguments.unary(value -> Truth.of(!Truth.isTrue(value)))),
          entry("$or", (name, argument, context) -> new Chain(true, list(argument, context))));

  private BooleanExpressions() {}

  private static List<Expression> list(BsonValue argument, ParseContext context) {
    return Arguments.list(argument, context);
  }

  /**
   * Operands evaluated until one is {@code decisive}: true for $or, false for $and. A decisive
   * constant anywhere decides beforehand, even if another operand would have failed, because
   * MongoDB moves constants to the end and then computes them. A planner derives index bounds from
   * it.
   */
  public record Chain(boolean decisive, List<Expression> operands) implements Expression {
    public Chain {
      operands = List.copyOf(operands);
    }

    @Override
    public BsonValue evaluate(Scope scope) {
      scope.allowance().step();
      for (int i = 0; i < operands.size(); i++) {
        if (Truth.isTrue(operands.get(i).evaluate(scope)) == decisive) {
          return Truth.of(decisive);
        }
      }
      return Truth.of(!decisive);
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new Chain(decisive, others);
    }

    @Override
    public Expression optimize() {
      var rest = new ArrayList<Expression>(operands.size());
      boolean isDecided = false;
      for (Expression operand : operands) {
        Expression optimized = operand.optimize();
        if (optimized instanceof Constant constant) {
          isDecided |= Truth.isTrue(constant.value()) == decisive;
        } else {
          rest.add(optimized);
        }
      }
      if (isDecided) {
        return new Constant(Truth.of(decisive));
      }
      return rest.isEmpty() ? new Constant(Truth.of(!decisive)) : withOperands(rest);
    }
  }
}
