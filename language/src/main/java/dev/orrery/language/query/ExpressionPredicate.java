package dev.orrery.language.query;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.Expressions;
import dev.orrery.language.expression.Scope;
import dev.orrery.language.expression.Truth;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.Set;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** {@code $expr}: an aggregation expression that is true of the document. */
public final class ExpressionPredicate implements DocumentPredicate {
  private final BsonValue source;
  private final Expression expression;
  private final boolean needsWholeDocument;
  private final Set<String> fields;
  private final Filter implied;

  private ExpressionPredicate(BsonValue source, Expression expression, BsonOrder order) {
    this.source = source;
    this.expression = expression;
    this.implied = ImpliedFilter.of(expression, order);
    var dependencies = Dependencies.of(expression);
    this.needsWholeDocument = dependencies.needsWholeDocument();
    this.fields =
        dependencies.fields().stream()
            .map(ExpressionPredicate::firstPart)
            .collect(Collectors.toUnmodifiableSet());
  }

  static ExpressionPredicate parse(RawValue argument, FilterContext context) {
    Lane.requireMayWait(); // what is constant is computed now, and may take its time
    var source = argument.toBsonValue();
    var expression = Expressions.parse(source, context.expressions());
    try {
      return new ExpressionPredicate(source, expression.optimize(), context.order());
    } catch (CommandException e) {
      throw new CommandException(
          e.code(), "Failed to optimize expression :: caused by :: " + e.getMessage());
    }
  }

  private static String firstPart(String path) {
    int dot = path.indexOf('.');
    return dot < 0 ? path : path.substring(0, dot);
  }

  public Expression expression() {
    return expression;
  }

  /**
   * What a filter can say of the documents that match: every one of them, and perhaps others, match
   * it too. Indexes are found by it.
   */
  public Filter implied() {
    return implied;
  }

  @Override
  public BsonDocument document() {
    return new BsonDocument("$expr", source);
  }

  @Override
  public boolean test(RawDocument document) {
    Lane.requireMayWait();
    return Truth.isTrue(expression.evaluate(new Scope(decode(document))));
  }

  /** Only the fields that the expression reads: decoding is most of the work. */
  private BsonDocument decode(RawDocument document) {
    if (needsWholeDocument) {
      return document.toBsonDocument();
    }
    var decoded = new BsonDocument();
    for (String field : fields) {
      var value = document.field(field);
      if (value != null) {
        decoded.append(field, value.toBsonValue());
      }
    }
    return decoded;
  }
}
