package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.report.Metric;
import dev.orrery.benchmarks.report.Sample;
import dev.orrery.benchmarks.servers.Fleet;
import dev.orrery.benchmarks.servers.Kind;
import dev.orrery.benchmarks.servers.ProcessUsage;
import dev.orrery.benchmarks.servers.Target;
import java.io.IOException;
import java.util.EnumMap;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/** From the start of the process to its first answer, and the memory that it holds then. */
public final class StartUp implements Workload {
  public static final String NAME = "start-up";
  public static final String VARIANT = "empty";
  private static final long IDLE_MILLIS = 1000;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void run(Bench bench) throws Exception {
    for (int round = -1; round < bench.plan().rounds(); round++) {
      for (Kind kind : bench.chosen(Kind.ORRERY, Kind.MEMORY)) {
        Sample sample = start(bench, kind, round);
        if (round >= 0) { // the first start reads the files from the disk
          bench.record(sample);
        }
      }
    }
  }

  private static Sample start(Bench bench, Kind kind, int round)
      throws IOException, InterruptedException {
    try (Fleet fleet = bench.emptyFleet()) {
      Target target = fleet.start(kind);
      double ready = target.process().nanosToReady();
      long start = System.nanoTime();
      target.run("admin", new BsonDocument("ping", new BsonInt32(1)));
      double pinged = ready + System.nanoTime() - start;
      Thread.sleep(IDLE_MILLIS);
      var values = new EnumMap<Metric, Double>(Metric.class);
      values.put(Metric.READY_SECONDS, ready / 1e9);
      values.put(Metric.PING_SECONDS, pinged / 1e9);
      double resident = ProcessUsage.residentBytes(target.process().pid());
      values.put(Metric.IDLE_MEGABYTES, resident / (1 << 20));
      return new Sample(NAME, VARIANT, target.name(), round, values);
    }
  }
}
