package dev.orrery.server.plan.bounds;

import dev.orrery.language.limit.Allowance;
import dev.orrery.language.query.ArrayFilters;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.ValuePredicate;
import dev.orrery.value.FieldPath;
import java.util.ArrayList;
import java.util.List;

/**
 * One condition on one path that every matching document fulfils.
 *
 * @param path from the root of the document
 * @param scope the {@code $elemMatch} it stands in: all conditions of one scope hold for the same
 *     array element
 * @param source the part of the filter that it stands for
 */
public record Condition(
    String path, ValuePredicate predicate, boolean isNegated, Scope scope, Filter source) {
  /** Where conditions hold together; compared by identity. */
  public static final class Scope {
    public static final Scope DOCUMENT = new Scope("");

    private final String prefix;

    private Scope(String prefix) {
      this.prefix = prefix;
    }

    /** The path of the array with a dot; empty for the document itself. */
    public String prefix() {
      return prefix;
    }
  }

  /** The conditions of a filter; what is not a condition on one path is left out. */
  public static List<Condition> of(Filter filter) {
    var conditions = new ArrayList<Condition>();
    collect(filter, Scope.DOCUMENT, conditions);
    return conditions;
  }

  private static void collect(Filter filter, Scope scope, List<Condition> conditions) {
    Allowance.current().step();
    if (filter instanceof Filter.And and) {
      and.children().forEach(child -> collect(child, scope, conditions));
    } else if (filter instanceof Filter.Nor nor) {
      nor.children().forEach(child -> collectNot(child, filter, scope, conditions));
    } else if (filter instanceof Filter.Not not) {
      collectNot(not.child(), filter, scope, conditions);
    } else if (filter instanceof Filter.Field field) {
      collectField(field, scope, conditions);
    } else if (filter instanceof Filter.Whole whole) {
      collect(whole.implied(), scope, conditions);
    }
  }

  private static void collectNot(
      Filter child, Filter source, Scope scope, List<Condition> conditions) {
    if (child instanceof Filter.Field field && !entersElements(field.predicate())) {
      String path = scope.prefix + field.path().dotted();
      boolean isWhole = !(source instanceof Filter.Nor nor) || nor.children().size() == 1;
      conditions.add(
          new Condition(path, field.predicate(), true, scope, isWhole ? source : Filter.ALL));
    }
  }

  private static boolean entersElements(ValuePredicate predicate) {
    return predicate instanceof ArrayFilters.ElementDocument
        || predicate instanceof ArrayFilters.ElementValue;
  }

  private static void collectField(Filter.Field field, Scope scope, List<Condition> conditions) {
    boolean isInElement = scope != Scope.DOCUMENT || entersElements(field.predicate());
    if (isInElement && hasPosition(field.path())) {
      return; // an array in an array is entered here, but not by an index
    }
    String path = scope.prefix + field.path().dotted();
    if (field.predicate() instanceof ArrayFilters.ElementDocument element) {
      collect(element.filter(), new Scope(path + "."), conditions);
    } else {
      conditions.add(new Condition(path, field.predicate(), false, scope, field));
    }
  }

  /** Whether a part of the path may name a place in an array. */
  public static boolean hasPosition(FieldPath path) {
    return path.parts().stream()
        .anyMatch(part -> !part.isEmpty() && part.chars().allMatch(Character::isDigit));
  }
}
