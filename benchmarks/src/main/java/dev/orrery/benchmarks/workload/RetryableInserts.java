package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.servers.Fleet;
import dev.orrery.benchmarks.servers.Kind;
import dev.orrery.benchmarks.servers.Target;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Inserts by sessions that may send them again, beside the same without: what is remembered of each
 * session must not make one wait for another.
 */
final class RetryableInserts implements Workload {
  private static final int PARTITIONS = 16;

  /** What a load goes on with from slice to slice, as no key and no number may come again. */
  private final Map<String, RetryableTraffic> traffic = new HashMap<>();

  @Override
  public String name() {
    return "retryable-insert";
  }

  @Override
  public void run(Bench bench) throws IOException {
    try (Fleet fleet = bench.fleet(Kind.ORRERY)) {
      for (Target target : fleet.targets()) {
        Loading.dropDatabase(target);
      }
      bench.warmUpFresh(steady(fleet, bench.plan().mostConnections(), true), fleet.targets());
      for (int connections : bench.plan().connections()) {
        for (boolean isRetryable : new boolean[] {false, true}) {
          bench.interleave(steady(fleet, connections, isRetryable), fleet.targets());
        }
      }
    }
  }

  private Steady steady(Fleet fleet, int connections, boolean isRetryable) throws IOException {
    String kind = isRetryable ? "retryable" : "plain";
    String variant = kind + ", " + Steady.connections(connections);
    String collection = kind + connections;
    for (Target target : fleet.targets()) {
      if (!traffic.containsKey(target.name() + variant)) {
        Partitioned.create(target, collection, "_id", PARTITIONS);
        traffic.put(
            target.name() + variant, new RetryableTraffic(collection, connections, isRetryable));
      }
    }
    return new Steady(name(), variant, connections, target -> traffic.get(target.name() + variant));
  }
}
