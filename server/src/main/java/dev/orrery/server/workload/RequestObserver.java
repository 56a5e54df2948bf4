package dev.orrery.server.workload;

import dev.orrery.server.operation.Operation;
import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Is shown every request that ends, as it came. Must be quick. */
@FunctionalInterface
public interface RequestObserver {
  /** Looks away. */
  RequestObserver NONE = (operation, beside, nanos) -> {};

  /**
   * A request that ended, before its reply leaves.
   *
   * @param beside documents and statements that came beside its body
   * @param nanos how long it ran
   */
  void ended(Operation operation, Supplier<Map<String, List<RawDocument>>> beside, long nanos);
}
