package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.client.LoadClient.Limit;
import dev.orrery.benchmarks.report.Metric;
import dev.orrery.benchmarks.report.Sample;
import dev.orrery.benchmarks.servers.Fleet;
import dev.orrery.benchmarks.servers.Kind;
import dev.orrery.benchmarks.servers.Target;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** Fills empty collections with inserts of 1,000 documents, from one connection. */
final class BulkLoad implements Workload {
  private static final int DOCUMENTS = 40_000;
  private static final int BATCH = 1000;
  private static final long LONGEST_NANOS = 2_000_000_000L;

  /** Loads before a measured one: each of them makes the compiler busy for some time. */
  private static final int WARM_UPS_MIN = 3;

  private static final int FIRST_WARM_UPS_MIN = 12;
  private static final int WARM_UPS_MAX = 60;
  private static final long WARM_UP_NANOS_MAX = 60_000_000_000L;

  /** A drop leaves work to the background, which is not that of the next load. */
  private static final long QUIET_NANOS = 500_000_000L;

  private static final long QUIET_CPU_NANOS = 20_000_000L;
  private static final int QUIET_TRIES_MAX = 10;
  private static final double MEGABYTE = 1e6;
  private static final String COLLECTION = "bulk";

  /** Into how many partitions, and how many indexes besides that of {@code _id}. */
  private record Variant(int partitions, int indexes) {
    String label() {
      return "%d partition%s, %d indexes"
          .formatted(partitions, partitions == 1 ? "" : "s", indexes);
    }
  }

  @Override
  public String name() {
    return "bulk-load";
  }

  /** Only Orrery has partitions. */
  @Override
  public void run(Bench bench) throws IOException {
    try (Fleet fleet = bench.fleet(Kind.ORRERY, Kind.MEMORY, Kind.H2)) {
      for (int partitions : List.of(1, 16)) {
        var targets = new ArrayList<>(fleet.targets());
        targets.removeIf(target -> partitions > 1 && !target.isOrrery());
        for (int indexes : List.of(0, 3)) {
          interleave(bench, new Variant(partitions, indexes), targets);
        }
      }
    }
  }

  private void interleave(Bench bench, Variant variant, List<Target> targets) throws IOException {
    for (Target target : targets) {
      warmUp(bench, variant, target);
    }
    Plan plan = bench.plan();
    int rounds = variant.indexes() == 0 ? plan.judgedRounds() : plan.rounds();
    for (int round = 0; round < rounds; round++) {
      for (Target target : targets) {
        empty(variant, target);
        awaitQuiet(target);
        var values = new EnumMap<>(load(bench, variant, target));
        Double micros = values.get(Metric.SERVER_CPU_MICROS);
        if (micros != null) {
          double megabytes = (double) BATCH * BulkTraffic.documentBytes() / MEGABYTE;
          values.put(Metric.MEGABYTES_PER_CPU_SECOND, megabytes * 1e6 / micros);
        }
        bench.record(new Sample(name(), variant.label(), target.name(), round, values));
      }
    }
  }

  /**
   * Until the compiler has next to no part in a load; not for ever. A load has few requests, of
   * much work each, so that the compiler is at it for many loads.
   */
  private void warmUp(Bench bench, Variant variant, Target target) throws IOException {
    boolean isFirst = variant.partitions() == 1 && variant.indexes() == 0;
    int least = isFirst ? FIRST_WARM_UPS_MIN : WARM_UPS_MIN;
    long start = System.nanoTime();
    double share = 1;
    for (int i = 0; i < least || share > WarmUp.COMPILER_SHARE_MAX && i < WARM_UPS_MAX; i++) {
      if (System.nanoTime() - start > WARM_UP_NANOS_MAX) {
        return;
      }
      empty(variant, target);
      Spent before = Spent.by(target);
      load(bench, variant, target);
      share = Spent.by(target).compilerShareSince(before);
    }
  }

  private static void empty(Variant variant, Target target) throws IOException {
    Loading.dropDatabase(target);
    create(variant, target);
  }

  /** Until a server has next to nothing to do; not for ever. */
  private static void awaitQuiet(Target target) throws IOException {
    long before = Bench.cpuNanos(target);
    for (int tries = 0; tries < QUIET_TRIES_MAX; tries++) {
      LockSupport.parkNanos(QUIET_NANOS);
      long now = Bench.cpuNanos(target);
      if (now - before <= QUIET_CPU_NANOS) {
        return;
      }
      before = now;
    }
  }

  private Map<Metric, Double> load(Bench bench, Variant variant, Target target) throws IOException {
    int batches = bench.plan().documents(DOCUMENTS) / BATCH;
    var limit = new Limit(LONGEST_NANOS, batches); // a slow server need not take them all
    var steady = new Steady(name(), variant.label(), 1, each -> new BulkTraffic(COLLECTION, BATCH));
    return bench.measure(steady, target, limit);
  }

  private static void create(Variant variant, Target target) throws IOException {
    if (variant.partitions() > 1) {
      Partitioned.create(target, COLLECTION, "_id", variant.partitions());
    } else {
      target.run(Loading.DATABASE, new BsonDocument("create", new BsonString(COLLECTION)));
    }
    for (String field : BulkTraffic.INDEXED.subList(0, variant.indexes())) {
      Loading.index(target, COLLECTION, field);
    }
  }
}
