package dev.orrery.language.query;

import dev.orrery.language.expression.Expression;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a projection does at one path: a tree with the shape of the projected documents. */
public sealed interface ProjectionNode {
  /** Goes on with the fields of the value; in the order in which they were written. */
  record Inner(Map<String, ProjectionNode> children) implements ProjectionNode {
    Inner() {
      this(new LinkedHashMap<>());
    }

    /** Whether a field below is computed, so that a missing value comes into being. */
    boolean hasComputed() {
      return children.values().stream()
          .anyMatch(
              child ->
                  child instanceof Computed
                      || child instanceof ElementMatch
                      || (child instanceof Inner inner && inner.hasComputed()));
    }
  }

  /** Keeps the value ({@code 1}) or leaves it out ({@code 0}). */
  record Selection(boolean isIncluded) implements ProjectionNode {}

  /** Puts the value of an expression there. */
  record Computed(Expression expression) implements ProjectionNode {}

  /** {@code $slice} of find: part of an array; no skip means from the end if limit is negative. */
  record Slice(@Nullable Integer skip, int limit) implements ProjectionNode {}

  /** {@code $elemMatch} of find: the first matching element; the filter names the field. */
  record ElementMatch(Filter filter) implements ProjectionNode {}

  /** {@code a.$}: the element by which the document matched the find's filter. */
  record Positional() implements ProjectionNode {}
}
