package dev.orrery.language.update;

import java.util.Set;

/** The names of all update operators, for tests that go through them from outside. */
public final class UpdateNames {
  private UpdateNames() {}

  public static Set<String> all() {
    return UpdateOperators.TABLE.names();
  }
}
