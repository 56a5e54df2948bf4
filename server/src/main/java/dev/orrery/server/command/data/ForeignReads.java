package dev.orrery.server.command.data;

import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.Targets;
import dev.orrery.server.throughput.MeteredRead;
import dev.orrery.server.throughput.OperationWork;
import dev.orrery.storage.CollectionStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a pipeline reads besides its own collection: each collection is asked for units before it is
 * first read, and its work is counted on its own, so that its own budget pays. Belongs to one
 * pipeline.
 */
final class ForeignReads {
  private final Execution own;
  private @Nullable CollectionStore collection;
  private final Map<UUID, Execution> executions = new HashMap<>();
  private final List<MeteredRead> reads = new ArrayList<>();

  /**
   * @param own counts what is read of the pipeline's own collection
   */
  ForeignReads(Execution own) {
    this.own = own;
  }

  /** Names the pipeline's own collection; null when there is none. */
  void besides(@Nullable CollectionStore ownCollection) {
    collection = ownCollection;
  }

  /** What counts the work in a collection, which may refuse it. */
  Execution enter(Targets targets, OperationWork work) {
    CollectionStore read = targets.collection();
    if (collection != null && read.info().uuid().equals(collection.info().uuid())) {
      return own;
    }
    Execution known = executions.get(read.info().uuid());
    if (known != null) {
      return known;
    }
    work.admitBeside(targets);
    Execution execution = own.part(Execution.Interruption.NEVER);
    executions.put(read.info().uuid(), execution);
    reads.add(new MeteredRead(read, execution, false));
    return execution;
  }

  /** The reads so far; there may be more later. */
  List<MeteredRead> reads() {
    return reads;
  }
}
