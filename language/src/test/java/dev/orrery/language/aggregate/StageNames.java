package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.accumulator.Accumulators;
import dev.orrery.language.aggregate.window.WindowFunctions;
import java.util.Set;

/** The names in this package's tables, for tests that go through all of them from outside. */
public final class StageNames {
  private StageNames() {}

  public static Set<String> stages() {
    return Stages.names();
  }

  public static Set<String> accumulators() {
    return Accumulators.names();
  }

  public static Set<String> windowFunctions() {
    return WindowFunctions.names();
  }
}
