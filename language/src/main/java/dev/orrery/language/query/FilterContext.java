package dev.orrery.language.query;

import dev.orrery.language.expression.ParseContext;
import dev.orrery.language.expression.WatchedOrder;
import dev.orrery.value.BsonOrder;
import java.util.Set;

/**
 * What a filter's or projection's meaning depends on besides its own text: the order of strings,
 * the variables that expressions in it see, and which operators its place allows.
 */
public record FilterContext(BsonOrder order, ParseContext expressions, Set<Feature> features) {
  private static final Set<Feature> ALL_FEATURES = Set.of(Feature.values());

  /** No collation, no variables but the built-in ones, with the time at 1970. */
  public static final FilterContext DEFAULT = of(ParseContext.at(0));

  /** Operators that not every place allows. */
  public enum Feature {
    EXPRESSION,
    JSON_SCHEMA,
    NEAR,
    TEXT,
    WHERE
  }

  public FilterContext {
    features = Set.copyOf(features);
  }

  /** The context of a command: no collation, every operator allowed. */
  public static FilterContext of(ParseContext expressions) {
    return new FilterContext(WatchedOrder.CANONICAL, expressions, ALL_FEATURES);
  }

  /** The same, with strings compared by a collation, in expressions too. */
  public FilterContext withOrder(BsonOrder newOrder) {
    return new FilterContext(newOrder, expressions.withOrder(newOrder), features);
  }

  /** The same, with fewer operators: array filters, index filters, validators. */
  public FilterContext allowing(Set<Feature> newFeatures) {
    return new FilterContext(order, expressions, newFeatures);
  }

  boolean allows(Feature feature) {
    return features.contains(feature);
  }
}
