package dev.orrery.server.plan.bounds;

import dev.orrery.language.limit.Allowance;
import dev.orrery.language.query.Comparison;
import dev.orrery.language.query.ElementFilters;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.In;
import dev.orrery.language.query.Regex;
import dev.orrery.language.query.ValuePredicate;
import dev.orrery.value.StringOrder;
import org.jspecify.annotations.Nullable;

/** Whether every document that matches a query is in a partial index. */
public final class PartialImplication {
  private PartialImplication() {}

  /** Whether whatever matches {@code query} matches {@code partial}; false when in doubt. */
  public static boolean implies(Filter query, Filter partial) {
    Allowance.current().step();
    if (partial instanceof Filter.And and) {
      return and.children().stream().allMatch(child -> implies(query, child));
    }
    if (query instanceof Filter.Or or) {
      return or.children().stream().allMatch(child -> implies(child, partial));
    }
    if (partial instanceof Filter.Or or
        && or.children().stream().anyMatch(child -> implies(query, child))) {
      return true;
    }
    if (query instanceof Filter.And and) {
      return and.children().stream().anyMatch(child -> implies(child, partial));
    }
    if (query instanceof Filter.Whole whole) {
      return implies(whole.implied(), partial);
    }
    return query instanceof Filter.Field left
        && partial instanceof Filter.Field right
        && left.path().equals(right.path())
        && (left.predicate().equals(right.predicate())
            || implies(left.predicate(), right.predicate()));
  }

  /** Some value satisfies the first; then the same value must satisfy the second. */
  private static boolean implies(ValuePredicate query, ValuePredicate partial) {
    var bounds = new PredicateBounds(StringOrder.UTF8, true);
    FieldBounds found = boundsOf(query, bounds);
    if (found == null) {
      return false;
    }
    if (partial instanceof ElementFilters.Exists) {
      return found.excludesMissing();
    }
    FieldBounds wanted = isComparison(partial) ? bounds.of(partial) : null;
    boolean isWithin =
        wanted != null
            && wanted.isExact()
            && found.isExact()
            && found.intervals().intersect(wanted.intervals().complement()).isEmpty();
    return isWithin || isSameType(query, partial, bounds);
  }

  private static @Nullable FieldBounds boundsOf(ValuePredicate query, PredicateBounds bounds) {
    boolean isSimple =
        query instanceof Comparison comparison
            ? comparison.order().strings() == StringOrder.UTF8
            : !(query instanceof In in) || in.order().strings() == StringOrder.UTF8;
    boolean isKnown =
        isComparison(query)
            || query instanceof Regex
            || query instanceof ElementFilters.Exists
            || query instanceof ElementFilters.HasType;
    return isKnown && isSimple ? bounds.of(query) : null;
  }

  private static boolean isComparison(ValuePredicate predicate) {
    return predicate instanceof Comparison || predicate instanceof In;
  }

  /** {@code $type} needs the same set of types: numbers of equal value differ in theirs. */
  private static boolean isSameType(
      ValuePredicate query, ValuePredicate partial, PredicateBounds bounds) {
    return query instanceof ElementFilters.HasType left
        && partial instanceof ElementFilters.HasType right
        && right.types().types().containsAll(left.types().types())
        && bounds.of(query) != null;
  }
}
