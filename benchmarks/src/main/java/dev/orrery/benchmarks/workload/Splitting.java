package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.client.LoadClient.Limit;
import dev.orrery.benchmarks.client.Traffic;
import dev.orrery.benchmarks.report.Sample;
import dev.orrery.benchmarks.servers.Fleet;
import dev.orrery.benchmarks.servers.Kind;
import dev.orrery.benchmarks.servers.Target;
import dev.orrery.benchmarks.ycsb.Mix;
import dev.orrery.benchmarks.ycsb.Records;
import dev.orrery.benchmarks.ycsb.UniformKeys;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Point reads while nothing else happens, and while one partition after the other is split. */
public final class Splitting implements Workload {
  public static final String NAME = "splitting";
  public static final String QUIET = "reads, no split";
  public static final String BUSY = "reads while splitting";

  private static final int RECORDS = 100_000;
  private static final int CONNECTIONS = 8;

  @Override
  public String name() {
    return NAME;
  }

  /** Each round begins with one partition, so that a split has much to do. */
  @Override
  public void run(Bench bench) throws Exception {
    int count = bench.plan().documents(RECORDS);
    try (Fleet fleet = bench.emptyFleet()) {
      Target target = fleet.start(Kind.ORRERY);
      for (int round = 0; round < bench.plan().rounds(); round++) {
        load(target, count);
        if (round == 0) {
          bench.warmUp(steady(QUIET, count), target);
        }
        measure(bench, steady(QUIET, count), target, round);
        measureSplitting(bench, steady(BUSY, count), target, round);
      }
    }
  }

  private static void load(Target target, int count) throws IOException {
    Loading.dropDatabase(target);
    Partitioned.create(target, YcsbTraffic.COLLECTION, "_id", 1);
    Loading.insert(target, YcsbTraffic.COLLECTION, count, Records::document);
  }

  private static Steady steady(String variant, int count) {
    return new Steady(NAME, variant, CONNECTIONS, target -> traffic(count));
  }

  private static Traffic traffic(int count) {
    var random = new SplittableRandom(5);
    return new YcsbTraffic(
        Mix.C, new UniformKeys(random), new AtomicLong(count), CONNECTIONS, random);
  }

  private static void measure(Bench bench, Steady steady, Target target, int round)
      throws IOException {
    var values = bench.measure(steady, target, Limit.seconds(bench.plan().seconds()));
    bench.record(new Sample(NAME, steady.variant(), target.name(), round, values));
  }

  private static void measureSplitting(Bench bench, Steady steady, Target target, int round)
      throws Exception {
    var isOver = new AtomicBoolean();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<?> splits = thread.submit(() -> split(target, isOver));
      measure(bench, steady, target, round);
      isOver.set(true);
      splits.get();
    } finally {
      thread.shutdown();
    }
  }

  private static Void split(Target target, AtomicBoolean isOver) throws IOException {
    while (!isOver.get()) {
      int largest = Partitioned.largest(target, YcsbTraffic.COLLECTION);
      Partitioned.split(target, YcsbTraffic.COLLECTION, largest);
    }
    return null;
  }
}
