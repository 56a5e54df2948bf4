package dev.orrery.language.query;

import dev.orrery.value.BsonOrder;
import dev.orrery.value.CanonicalTypes;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * {@code $eq $gt $gte $lt $lte}: comparison in BSON order with values of the operand's own type
 * bracket. Null also equals missing and undefined.
 */
public record Comparison(Operator operator, RawValue operand, BsonOrder order)
    implements ValuePredicate {
  /** The relation of the value to the operand. */
  public enum Operator {
    EQUAL("$eq"),
    GREATER("$gt"),
    GREATER_OR_EQUAL("$gte"),
    LESS("$lt"),
    LESS_OR_EQUAL("$lte");

    private final String text;

    Operator(String text) {
      this.text = text;
    }

    /** The operator's name in a filter. */
    public String text() {
      return text;
    }

    /** Whether equal values satisfy it. */
    public boolean isInclusive() {
      return this != GREATER && this != LESS;
    }

    boolean accepts(int comparison) {
      return switch (this) {
        case EQUAL -> comparison == 0;
        case GREATER -> comparison > 0;
        case GREATER_OR_EQUAL -> comparison >= 0;
        case LESS -> comparison < 0;
        case LESS_OR_EQUAL -> comparison <= 0;
      };
    }
  }

  @Override
  public boolean test(@Nullable RawValue value, MatchDetails details) {
    int bracket = value == null ? CanonicalTypes.UNDEFINED : CanonicalTypes.of(value.type());
    int operandBracket = CanonicalTypes.of(operand.type());
    if (bracket != operandBracket) {
      return testAcross(bracket, operandBracket);
    }
    if (bracket == CanonicalTypes.NUMBER) {
      boolean isNaN = ValueTypes.isNaN(value);
      if (isNaN || ValueTypes.isNaN(operand)) { // NaN is only ever equal to itself
        return operator.isInclusive() && isNaN && ValueTypes.isNaN(operand);
      }
    }
    return operator.accepts(order.compare(value, operand));
  }

  @Override
  public BsonDocument document() {
    return new BsonDocument(operator.text(), operand.toBsonValue());
  }

  private boolean testAcross(int bracket, int operandBracket) {
    if (bracket + operandBracket == CanonicalTypes.NULL + CanonicalTypes.UNDEFINED) {
      return operator.isInclusive();
    }
    // Every other value, even a missing one, lies between MinKey and MaxKey.
    return switch (operator) {
      case EQUAL -> false;
      case GREATER, GREATER_OR_EQUAL -> operand.type() == RawTypes.MIN_KEY;
      case LESS, LESS_OR_EQUAL -> operand.type() == RawTypes.MAX_KEY;
    };
  }
}
