package dev.orrery.server.plan;

import org.jspecify.annotations.Nullable;

/**
 * Results of a plan, one after the other. It may rest for minutes between two calls, and goes on
 * after splits; one thread at a time uses it.
 */
public interface DocumentCursor extends AutoCloseable {
  /** The next result, or null at the end. */
  @Nullable PlanResult next();

  /** Called before it goes on after a rest; throws when it has lost its place. */
  default void resume() {}

  /** Gives back what the plan holds, such as temporary files. */
  @Override
  void close();
}
