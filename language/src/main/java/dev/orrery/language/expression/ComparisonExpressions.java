package dev.orrery.language.expression;

import static java.util.Map.entry;

import dev.orrery.language.limit.Allowance;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.bson.BsonInt32;
import org.bson.BsonValue;

/** {@code $cmp $eq $gt $gte $lt $lte $ne}: the order of all BSON values, missing included. */
public final class ComparisonExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          entry("$cmp", ComparisonExpressions::compare),
          comparing("$eq", Relation.EQUAL),
          comparing("$gt", Relation.GREATER),
          comparing("$gte", Relation.GREATER_OR_EQUAL),
          comparing("$lt", Relation.LESS),
          comparing("$lte", Relation.LESS_OR_EQUAL),
          comparing("$ne", Relation.NOT_EQUAL));

  private ComparisonExpressions() {}

  private static Expression compare(String name, BsonValue argument, ParseContext context) {
    List<Expression> operands = Arguments.exactly(2, name, argument, context);
    Comparator<BsonValue> order = context.order();
    return new BinaryCall(
        (left, right) -> new BsonInt32(Integer.signum(order.compare(left, right))),
        operands.get(0),
        operands.get(1));
  }

  private static Map.Entry<String, ExpressionOperator> comparing(String name, Relation relation) {
    return entry(
        name,
        (operator, argument, context) -> {
          List<Expression> operands = Arguments.exactly(2, operator, argument, context);
          return new Call(relation, context.order(), operands.get(0), operands.get(1));
        });
  }

  /** How the left operand stands to the right one. */
  public enum Relation {
    EQUAL,
    GREATER,
    GREATER_OR_EQUAL,
    LESS,
    LESS_OR_EQUAL,
    NOT_EQUAL;

    private boolean accepts(int sign) {
      return switch (this) {
        case EQUAL -> sign == 0;
        case GREATER -> sign > 0;
        case GREATER_OR_EQUAL -> sign >= 0;
        case LESS -> sign < 0;
        case LESS_OR_EQUAL -> sign <= 0;
        case NOT_EQUAL -> sign != 0;
      };
    }

    /** The same seen from the other side: {@code 5 < a} is {@code a > 5}. */
    public Relation turned() {
      return switch (this) {
        case EQUAL, NOT_EQUAL -> this;
        case GREATER -> LESS;
        case GREATER_OR_EQUAL -> LESS_OR_EQUAL;
        case LESS -> GREATER;
        case LESS_OR_EQUAL -> GREATER_OR_EQUAL;
      };
    }
  }

  /** All of them but {@code $cmp}. A planner derives index bounds from it. */
  public record Call(
      Relation relation, Comparator<BsonValue> order, Expression left, Expression right)
      implements Expression {
    @Override
    public BsonValue evaluate(Scope scope) {
      BsonValue one = left.evaluate(scope);
      Allowance allowance = scope.allowance();
      long held = ValueSize.hold(left, one, allowance);
      try {
        BsonValue other = right.evaluate(scope);
        allowance.step();
        Work.count(one, allowance);
        Work.count(other, allowance);
        return Truth.of(relation.accepts(order.compare(one, other)));
      } finally {
        if (held > 0) {
          allowance.release(held);
        }
      }
    }

    @Override
    public List<Expression> operands() {
      return List.of(left, right);
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new Call(relation, order, others.get(0), others.get(1));
    }

    @Override
    public boolean isFoldable() {
      return true;
    }
  }
}
