package dev.orrery.language.query;

import dev.orrery.language.limit.Allowance;
import java.util.Comparator;
import java.util.List;

/**
 * MongoDB's order of the clauses of a conjunction or disjunction: by kind, then by path. It decides
 * which array element the positional operator stands for, since the last clause that matched an
 * element wins, and in which order explain prints them.
 */
final class FilterOrder implements Comparator<Filter> {
  private static final FilterOrder INSTANCE = new FilterOrder();

  private static final List<String> KINDS =
      List.of(
          "$and",
          "$or",
          "$elemMatch object",
          "$elemMatch value",
          "$size",
          "$eq",
          "$lte",
          "$lt",
          "$gt",
          "$gte",
          "$regex",
          "$mod",
          "$exists",
          "$in",
          "$bits",
          "$not",
          "$nor",
          "$type",
          "$expr");

  /** Sorting more than that counts as steps. */
  private static final int MANY = 64;

  private FilterOrder() {}

  /** The order for as many clauses. */
  static Comparator<Filter> of(int clauses) {
    return clauses > MANY ? Allowance.current().watch(INSTANCE) : INSTANCE;
  }

  @Override
  public int compare(Filter left, Filter right) {
    int difference = Integer.compare(rank(left), rank(right));
    if (difference != 0) {
      return difference;
    }
    if (left instanceof Filter.Field one && right instanceof Filter.Field other) {
      return one.path().dotted().compareTo(other.path().dotted());
    }
    if (left instanceof Filter.Not one && right instanceof Filter.Not other) {
      return compare(one.child(), other.child());
    }
    return 0;
  }

  private static int rank(Filter filter) {
    return KINDS.indexOf(kind(filter));
  }

  private static String kind(Filter filter) {
    if (filter instanceof Filter.Field field) {
      return kind(field.predicate());
    }
    if (filter instanceof Filter.And) {
      return "$and";
    }
    if (filter instanceof Filter.Or) {
      return "$or";
    }
    if (filter instanceof Filter.Nor) {
      return "$nor";
    }
    return filter instanceof Filter.Not ? "$not" : "$expr";
  }

  private static String kind(ValuePredicate predicate) {
    if (predicate instanceof Comparison comparison) {
      return comparison.operator().text();
    }
    if (predicate instanceof ArrayFilters.ElementDocument) {
      return "$elemMatch object";
    }
    if (predicate instanceof ArrayFilters.ElementValue) {
      return "$elemMatch value";
    }
    if (predicate instanceof In) {
      return "$in";
    }
    if (predicate instanceof BitwiseFilters.Bits) {
      return "$bits";
    }
    return predicate.document().getFirstKey();
  }
}
