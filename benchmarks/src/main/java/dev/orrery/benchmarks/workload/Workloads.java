package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.ycsb.Mix;
import java.util.List;

/** The table of workloads. */
public final class Workloads {
  private Workloads() {}

  /** In the order of the report; they keep what they loaded, so they serve for one run. */
  public static List<Workload> all() {
    return List.of(
        new PointRead(),
        new Ycsb("ycsb-a", Mix.A),
        new Ycsb("ycsb-b", Mix.B),
        new Ycsb("ycsb-c", Mix.C),
        new Ycsb("ycsb-d", Mix.D),
        new Ycsb("ycsb-e", Mix.E),
        new Ycsb("ycsb-f", Mix.F),
        new BulkLoad(),
        new DurableInserts(),
        new RetryableInserts(),
        Queries.finds(),
        Queries.aggregations(),
        new FanOut(),
        new Splitting(),
        new Streams(),
        new StartUp(),
        new Footprint());
  }

  public static List<String> names() {
    return all().stream().map(Workload::name).toList();
  }

  /** Those with the names, or all if there are none. */
  public static List<Workload> named(List<String> names) {
    return all().stream().filter(one -> names.isEmpty() || names.contains(one.name())).toList();
  }
}
