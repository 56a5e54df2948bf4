package dev.orrery.language.query;

import dev.orrery.value.BsonOrder;
import dev.orrery.value.RawValue;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * {@code $gt $gte $lt $lte} of an expression: the value as it is, an array too, in the order of all
 * values and types, where a missing one comes before null.
 */
public record OrderedComparison(Comparison.Operator operator, RawValue operand, BsonOrder order)
    implements ValuePredicate {
  @Override
  public boolean test(@Nullable RawValue value, MatchDetails details) {
    return operator.accepts(
        order.compare(value == null ? null : value.toBsonValue(), operand.toBsonValue()));
  }

  @Override
  public BsonDocument document() {
    return new BsonDocument(operator.text(), operand.toBsonValue());
  }

  @Override
  public boolean traversesArrays() {
    return false;
  }
}
