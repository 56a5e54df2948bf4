package dev.orrery.language.query;

import java.util.Set;
import java.util.TreeSet;

/** The names of all filter operators, for tests that go through them from outside. */
public final class FilterNames {
  private FilterNames() {}

  public static Set<String> all() {
    var names = new TreeSet<>(FilterOperators.ON_FIELDS.keySet());
    names.addAll(FilterOperators.AT_TOP_LEVEL.keySet());
    return names;
  }
}
