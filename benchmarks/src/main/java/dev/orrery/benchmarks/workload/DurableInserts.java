package dev.orrery.benchmarks.workload;

import com.sun.management.OperatingSystemMXBean;
import dev.orrery.benchmarks.client.Histogram;
import dev.orrery.benchmarks.client.LoadClient.Limit;
import dev.orrery.benchmarks.report.Metric;
import dev.orrery.benchmarks.report.Sample;
import dev.orrery.benchmarks.servers.Fleet;
import dev.orrery.benchmarks.servers.Kind;
import dev.orrery.benchmarks.servers.Target;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.bson.BsonDocument;
import org.bson.BsonString;

/**
 * Inserts of one document of 1 KB each, acknowledged when on the disk, beside a log that only takes
 * the same bytes. The peers acknowledge before, so they do not take part.
 */
final class DurableInserts implements Workload {
  static final String LOG = "bare log";
  private static final String COLLECTION = "durable";
  private static final int WARM_UPS = 2;

  private final Map<String, BulkTraffic> traffic = new HashMap<>();

  @Override
  public String name() {
    return "durable-insert";
  }

  @Override
  public void run(Bench bench) throws Exception {
    try (Fleet fleet = bench.fleet(Kind.ORRERY)) {
      for (Target target : fleet.targets()) {
        Loading.dropDatabase(target);
        target.run(Loading.DATABASE, new BsonDocument("create", new BsonString(COLLECTION)));
        traffic.put(target.name(), new BulkTraffic(COLLECTION, 1));
      }
      bench.warmUpFresh(steady(bench.plan().mostConnections()), fleet.targets());
      Path directory = bench.directory();
      for (int connections : bench.plan().connections()) {
        interleave(bench, connections, fleet.targets(), directory);
      }
    }
  }

  private void interleave(Bench bench, int connections, List<Target> targets, Path directory)
      throws Exception {
    var steady = steady(connections);
    String variant = steady.variant();
    for (Target target : targets) {
      bench.warmUp(steady, target);
    }
    for (int round = -WARM_UPS; round < bench.plan().rounds(connections); round++) {
      var log = log(connections, bench.plan().seconds(), directory);
      if (round >= 0) {
        for (Target target : targets) {
          var values = bench.measure(steady, target, Limit.seconds(bench.plan().seconds()));
          bench.record(new Sample(name(), variant, target.name(), round, values));
        }
        bench.record(new Sample(name(), variant, LOG, round, log));
      }
    }
  }

  private Steady steady(int connections) {
    String variant = Steady.connections(connections);
    return new Steady(name(), variant, connections, target -> traffic.get(target.name()));
  }

  private static Map<Metric, Double> log(int writers, double seconds, Path directory)
      throws Exception {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    Path path = Files.createTempFile(directory, "bare", ".log");
    ExecutorService threads = Executors.newFixedThreadPool(writers);
    try (var log = new GroupCommitLog(path)) {
      long cpu = system.getProcessCpuTime();
      long start = System.nanoTime();
      var running = new ArrayList<Future<Histogram>>();
      for (int i = 0; i < writers; i++) {
        running.add(threads.submit(() -> append(log, start + (long) (seconds * 1e9))));
      }
      var latencies = new Histogram();
      for (Future<Histogram> writer : running) {
        latencies.add(writer.get());
      }
      var values = new EnumMap<Metric, Double>(Metric.class);
      double count = latencies.count();
      values.put(Metric.REQUESTS_PER_SECOND, count * 1e9 / (System.nanoTime() - start));
      values.put(Metric.SERVER_CPU_MICROS, (system.getProcessCpuTime() - cpu) / 1e3 / count);
      values.put(Metric.P50_MICROS, latencies.percentile(0.5) / 1e3);
      values.put(Metric.P99_MICROS, latencies.percentile(0.99) / 1e3);
      return values;
    } finally {
      threads.shutdown();
      Files.delete(path);
    }
  }

  private static Histogram append(GroupCommitLog log, long deadline) throws IOException {
    byte[] bytes = new byte[BulkTraffic.documentBytes()];
    var latencies = new Histogram();
    for (long start = System.nanoTime(); start < deadline; start = System.nanoTime()) {
      log.append(bytes);
      latencies.record(System.nanoTime() - start);
    }
    return latencies;
  }
}
