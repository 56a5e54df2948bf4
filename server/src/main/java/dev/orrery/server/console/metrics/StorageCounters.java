package dev.orrery.server.console.metrics;

import dev.orrery.server.operation.DurationCounts;
import dev.orrery.storage.StorageObserver;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** Adds up what the storage engine tells of itself. Thread-safe. */
public final class StorageCounters implements StorageObserver {
  private final LongAdder commits = new LongAdder();
  private final LongAdder forceNanos = new LongAdder();
  private final DurationCounts forces = new DurationCounts();
  private final LongAdder checkpoints = new LongAdder();
  private final LongAdder checkpointNanos = new LongAdder();
  private final LongAdder freedSegments = new LongAdder();
  private final LongAdder freedBytes = new LongAdder();
  private final LongAdder splits = new LongAdder();
  private final LongAdder merges = new LongAdder();
  private final List<Consumer<Repartition>> listeners = new CopyOnWriteArrayList<>();

  @Override
  public void forced(int waiting, long nanos) {
    commits.add(waiting);
    forceNanos.add(nanos);
    forces.add(nanos);
  }

  @Override
  public void checkpointed(long nanos) {
    checkpoints.increment();
    checkpointNanos.add(nanos);
  }

  @Override
  public void segmentFreed(long bytes) {
    freedSegments.increment();
    freedBytes.add(bytes);
  }

  @Override
  public void repartitioned(Repartition change) {
    if (change.after().size() > change.before().size()) {
      splits.increment();
    } else if (change.after().size() < change.before().size()) {
      merges.increment();
    }
    listeners.forEach(listener -> listener.accept(change));
  }

  /** Tells somebody of every split and merge, who must be quick. */
  public void onRepartition(Consumer<Repartition> listener) {
    listeners.add(listener);
  }

  /** Commits that waited for the disk. */
  long commits() {
    return commits.sum();
  }

  long forceNanos() {
    return forceNanos.sum();
  }

  DurationCounts forces() {
    return forces;
  }

  long checkpoints() {
    return checkpoints.sum();
  }

  long checkpointNanos() {
    return checkpointNanos.sum();
  }

  long freedSegments() {
    return freedSegments.sum();
  }

  long freedBytes() {
    return freedBytes.sum();
  }

  long splits() {
    return splits.sum();
  }

  long merges() {
    return merges.sum();
  }
}
