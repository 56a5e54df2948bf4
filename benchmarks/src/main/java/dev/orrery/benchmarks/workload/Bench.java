package dev.orrery.benchmarks.workload;

import com.sun.management.OperatingSystemMXBean;
import dev.orrery.benchmarks.client.DriverClient;
import dev.orrery.benchmarks.client.LeanClient;
import dev.orrery.benchmarks.client.LoadClient;
import dev.orrery.benchmarks.client.LoadClient.Limit;
import dev.orrery.benchmarks.client.LoadClient.Load;
import dev.orrery.benchmarks.client.Traffic;
import dev.orrery.benchmarks.report.Metric;
import dev.orrery.benchmarks.report.Results;
import dev.orrery.benchmarks.report.Sample;
import dev.orrery.benchmarks.servers.Fleet;
import dev.orrery.benchmarks.servers.Kind;
import dev.orrery.benchmarks.servers.ProcessUsage;
import dev.orrery.benchmarks.servers.Target;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Where workloads run: it starts servers and measures them in turns, so that what else the machine
 * does hits them all alike.
 */
public final class Bench {
  /** Long enough for CPU time, which Linux tells in hundredths of a second. */
  private static final Limit WARM_UP_SLICE = new Limit(500_000_000L, 50_000);

  /** What the rounds of one load may take on all servers together. */
  private static final double MOST_SECONDS = 60;

  private final Plan plan;
  private final Fleet.Settings settings;
  private final Results results;
  private final PrintStream progress;
  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  public Bench(Plan plan, Fleet.Settings settings, Results results, PrintStream progress) {
    this.plan = plan;
    this.settings = settings;
    this.results = results;
    this.progress = progress;
  }

  Plan plan() {
    return plan;
  }

  /** On the disk that the servers use. */
  Path directory() {
    return settings.directory();
  }

  /** Has only the servers that ran already. */
  Fleet emptyFleet() {
    return new Fleet(settings);
  }

  /** Of some kinds of servers, those that the run is to measure. */
  List<Kind> chosen(Kind... kinds) {
    return Stream.of(kinds).filter(settings.kinds()::contains).toList();
  }

  Fleet fleet(Kind... kinds) throws IOException {
    var fleet = emptyFleet();
    for (Kind kind : chosen(kinds)) {
      fleet.start(kind);
    }
    fleet.startBefore();
    return fleet;
  }

  void record(Sample sample) {
    results.add(sample);
    var line = new StringBuilder();
    for (Metric metric : Metric.values()) {
      Double value = sample.values().get(metric);
      if (value != null) {
        line.append(String.format(Locale.ROOT, "  %,.2f %s", value, metric.label()));
      }
    }
    progress.printf(
        "%-14s %-34s %-22s%s%n", sample.workload(), sample.variant(), sample.target(), line);
  }

  /** Warms each server up, then measures them round by round. */
  void interleave(Steady steady, List<Target> targets) throws IOException {
    double seconds = 0;
    for (Target target : targets) {
      seconds += warmUp(steady, target);
    }
    int rounds = rounds(steady.connections(), seconds);
    for (int round = 0; round < rounds; round++) {
      for (Target target : targets) {
        var values = measure(steady, target, Limit.seconds(plan.seconds()));
        record(new Sample(steady.workload(), steady.variant(), target.name(), round, values));
      }
    }
  }

  /**
   * As many as are asked for, but fewer where a single request takes so long that they would go on
   * for ever: a request of 25 seconds says as much as a thousand short ones.
   *
   * @param seconds what one round takes at least
   */
  int rounds(int connections, double seconds) {
    return (int) Math.max(1, Math.min(plan.rounds(connections), MOST_SECONDS / seconds));
  }

  /** Gives the compilers of servers that were just started what they need to be done. */
  void warmUpFresh(Steady steady, List<Target> targets) throws IOException {
    for (Target target : targets) {
      warmUp(steady, target, new WarmUp(WarmUp.Need.OF_FRESH_SERVER));
    }
  }

  /**
   * @return how many seconds the last requests took, which are few
   */
  double warmUp(Steady steady, Target target) throws IOException {
    return warmUp(steady, target, new WarmUp(WarmUp.Need.OF_WARM_SERVER));
  }

  private double warmUp(Steady steady, Target target, WarmUp warmUp) throws IOException {
    double seconds = 0;
    while (!warmUp.isOver()) {
      long start = System.nanoTime();
      Spent before = Spent.by(target);
      var values = measure(steady, target, WARM_UP_SLICE);
      seconds = (System.nanoTime() - start) / 1e9;
      double requests = values.get(Metric.REQUESTS_PER_SECOND) * seconds;
      double compilers = Spent.by(target).compilerShareSince(before);
      warmUp.add(new WarmUp.Slice(cost(values), requests, seconds / plan.seconds(), compilers));
    }
    return seconds;
  }

  private static double cost(Map<Metric, Double> values) {
    return values.getOrDefault(
        Metric.SERVER_CPU_MICROS, 1e6 / values.get(Metric.REQUESTS_PER_SECOND));
  }

  Map<Metric, Double> measure(Steady steady, Target target, Limit limit) throws IOException {
    return measureWhile(() -> false, steady, target, limit);
  }

  /** Whether something still goes on. */
  interface Condition {
    boolean holds() throws IOException;
  }

  /** Slice after slice as long as something goes on, and at least one. */
  Map<Metric, Double> measureWhile(Condition goesOn, Steady steady, Target target, Limit slice)
      throws IOException {
    Traffic traffic = steady.traffic().apply(target);
    try (LoadClient client = connect(target, steady.connections())) {
      long server = cpuNanos(target);
      long own = system.getProcessCpuTime();
      Load load = client.run(traffic, slice);
      while (goesOn.holds()) {
        load = load.plus(client.run(traffic, slice));
      }
      double ownNanos = system.getProcessCpuTime() - own;
      return values(load, cpuNanos(target) - server, ownNanos);
    }
  }

  private LoadClient connect(Target target, int connections) throws IOException {
    return plan.isDriver() && target.kind() != Kind.CEILING
        ? new DriverClient(target.address(), connections)
        : new LeanClient(target.address(), connections);
  }

  /** 0 for a server that runs elsewhere. */
  static long cpuNanos(Target target) throws IOException {
    return target.process() == null ? 0 : ProcessUsage.cpuNanos(target.process().pid());
  }

  private static Map<Metric, Double> values(Load load, double serverNanos, double ownNanos) {
    var values = new EnumMap<Metric, Double>(Metric.class);
    values.put(Metric.REQUESTS_PER_SECOND, load.perSecond());
    if (serverNanos > 0) {
      values.put(Metric.SERVER_CPU_MICROS, serverNanos / 1e3 / load.requests());
    }
    values.put(Metric.CLIENT_CPU_MICROS, ownNanos / 1e3 / load.requests());
    values.put(Metric.P50_MICROS, load.latencies().percentile(0.5) / 1e3);
    values.put(Metric.P99_MICROS, load.latencies().percentile(0.99) / 1e3);
    return values;
  }
}
