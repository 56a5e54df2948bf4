package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.report.Metric;
import dev.orrery.benchmarks.report.Sample;
import dev.orrery.benchmarks.servers.DiskUsage;
import dev.orrery.benchmarks.servers.Fleet;
import dev.orrery.benchmarks.servers.Kind;
import dev.orrery.benchmarks.servers.ProcessUsage;
import dev.orrery.benchmarks.servers.Target;
import dev.orrery.benchmarks.ycsb.Records;
import java.io.IOException;
import java.util.EnumMap;

/** What documents of 1 KB take of memory and of the disk, as if there were a million of them. */
public final class Footprint implements Workload {
  public static final String NAME = "footprint";
  public static final String VARIANT = "1 KB documents";

  private static final int DOCUMENTS = 100_000;
  private static final double MILLION = 1e6;
  private static final long SETTLE_MILLIS = 3000;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void run(Bench bench) throws Exception {
    int count = bench.plan().documents(DOCUMENTS);
    for (Kind kind : bench.chosen(Kind.ORRERY, Kind.MEMORY, Kind.H2)) {
      try (Fleet fleet = bench.emptyFleet()) {
        bench.record(measure(fleet.start(kind), count));
      }
    }
  }

  private static Sample measure(Target target, int count) throws IOException, InterruptedException {
    long pid = target.process().pid();
    double idle = ProcessUsage.residentBytes(pid);
    Loading.insert(target, YcsbTraffic.COLLECTION, count, Records::document);
    Thread.sleep(SETTLE_MILLIS); // until checkpoints and writers behind have done their work
    var values = new EnumMap<Metric, Double>(Metric.class);
    double grown = ProcessUsage.residentBytes(pid) - idle;
    values.put(Metric.MEMORY_PER_MILLION, grown / (1 << 20) * MILLION / count);
    if (target.data() != null) {
      double bytes = DiskUsage.bytes(target.data());
      values.put(Metric.DISK_PER_MILLION, bytes / (1 << 20) * MILLION / count);
      values.put(Metric.DISK_TO_LIVE, bytes / count / Records.documentBytes());
    }
    return new Sample(NAME, VARIANT, target.name(), 0, values);
  }
}
