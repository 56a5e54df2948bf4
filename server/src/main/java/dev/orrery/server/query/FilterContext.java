package dev.orrery.server.query;

import dev.orrery.storage.value.BsonOrder;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a filter's meaning depends on besides its own text: the order of strings, and which
 * operators the place it is written in allows.
 */
public record FilterContext(BsonOrder order, Set<Feature> features) {
  /** A filter of find, count, update: no collation, everything allowed. */
  public static final FilterContext DEFAULT =
      new FilterContext(BsonOrder.CANONICAL, EnumSet.allOf(Feature.class));

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

  /** The same, with strings compared by a collation. */
  public FilterContext withOrder(BsonOrder newOrder) {
    return new FilterContext(newOrder, features);
  }

  /** The same, with fewer operators: array filters, index filters, validators. */
  public FilterContext allowing(Set<Feature> newFeatures) {
    return new FilterContext(order, newFeatures);
  }

  boolean allows(Feature feature) {
    return features.contains(feature);
  }
}
