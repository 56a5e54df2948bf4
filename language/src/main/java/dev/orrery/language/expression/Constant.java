package dev.orrery.language.expression;

import java.util.List;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * A value that does not depend on the document; a null value is missing.
 *
 * @param kept the memory that it takes, if it was computed and is large
 */
public record Constant(@Nullable BsonValue value, Folding.@Nullable Kept kept)
    implements Expression {
  static final Constant MISSING = new Constant(null);

  public Constant(@Nullable BsonValue value) {
    this(value, null);
  }

  @Override
  public @Nullable BsonValue evaluate(Scope scope) {
    return value;
  }

  @Override
  public List<Expression> operands() {
    return List.of();
  }

  @Override
  public Expression withOperands(List<Expression> operands) {
    return this;
  }
}
