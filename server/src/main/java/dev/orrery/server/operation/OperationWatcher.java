package dev.orrery.server.operation;

/** Looks at every request that ends, on the thread that answers it: must be quick. */
@FunctionalInterface
public interface OperationWatcher {
  /** Looks away. */
  OperationWatcher NONE = (operation, nanos) -> {};

  void ended(Operation operation, long nanos);
}
