package dev.orrery.server.plan;

import dev.orrery.storage.PartitionStore;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One run of a plan on one partition: what its nodes share, and what they did if somebody wants to
 * know.
 */
final class PlanRun {
  private final Execution execution;
  private final @Nullable PartitionStore partition;
  private final long needed;
  private final @Nullable Map<PlanNode, StageStatistics> statistics;
  private final Map<Integer, PlanRun> parts = new LinkedHashMap<>();

  private PlanRun(
      Execution execution, @Nullable PartitionStore partition, boolean isExplained, long needed) {
    this.execution = execution;
    this.partition = partition;
    this.needed = needed;
    this.statistics = isExplained ? new IdentityHashMap<>() : null;
  }

  static PlanRun of(Execution execution, boolean isExplained) {
    return new PlanRun(execution, null, isExplained, 0);
  }

  /** The same of a plan that takes no more than so many rows of each step; 0 for all. */
  PlanRun needing(long rows) {
    return new PlanRun(execution, null, statistics != null, rows);
  }

  /** How many rows are wanted at the most, as far as that is known; 0 for all. */
  long needed() {
    return needed;
  }

  /** The part of this run that happens on one partition. */
  PlanRun on(PartitionStore part) {
    return parts.computeIfAbsent(
        part.id(), id -> new PlanRun(execution, part, statistics != null, needed));
  }

  Execution execution() {
    return execution;
  }

  /** The partition of this run; only the merge of partitions runs without one. */
  PartitionStore partition() {
    return partition;
  }

  boolean isExplained() {
    return statistics != null;
  }

  StageStatistics statisticsOf(PlanNode node) {
    return statistics == null
        ? new StageStatistics()
        : statistics.computeIfAbsent(node, any -> new StageStatistics());
  }

  /** Adds up one counter of all nodes on all partitions. */
  long total(ToLongFunction<StageStatistics> counter) {
    long sum = 0;
    if (statistics != null) {
      sum = statistics.values().stream().mapToLong(counter).sum();
    }
    for (PlanRun part : parts.values()) {
      sum += part.total(counter);
    }
    return sum;
  }
}
