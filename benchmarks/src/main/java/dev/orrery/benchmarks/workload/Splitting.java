package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.client.LoadClient.Limit;
import dev.orrery.benchmarks.client.Traffic;
import dev.orrery.benchmarks.report.Metric;
import dev.orrery.benchmarks.report.Sample;
import dev.orrery.benchmarks.servers.Fleet;
import dev.orrery.benchmarks.servers.Target;
import dev.orrery.benchmarks.ycsb.Mix;
import dev.orrery.benchmarks.ycsb.Records;
import dev.orrery.benchmarks.ycsb.UniformKeys;
import java.io.IOException;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.bson.BsonArray;
import org.bson.BsonString;

/**
 * Point reads while nothing else happens, while a partition that grew too large is split, and while
 * a client waits for two to be merged. Each goes on from the first moment of the change to the
 * last.
 */
public final class Splitting implements Workload {
  /*
   * The documents are a little less than a partition may hold. A few more make the server split it,
   * which is measured until both children serve; without them and merged again, it is what it was.
   * So splits are those that happen by themselves, and all is measured with the same partition.
   * Reads without a split are measured before and after it, because the machine's own speed changes
   * by a tenth within seconds.
   */
  public static final String NAME = "splitting";
  public static final String QUIET = "reads, no split";
  public static final String SPLITTING = "reads while splitting";
  public static final String MERGING = "reads while a client awaits a merge";

  private static final int RECORDS = 20_000;
  private static final int EXTRA_RECORDS = 200;
  private static final int CONNECTIONS = 8;
  private static final int WARM_UPS = 5; // else the compiler takes more than the splits do
  private static final Limit SLICE = Limit.seconds(0.2);

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void run(Bench bench) throws Exception {
    int count = bench.plan().documents(RECORDS);
    long bytes = (count + EXTRA_RECORDS / 2L) * Records.documentBytes();
    List<String> limit = List.of("--limit", "physical-partition=" + bytes);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Fleet fleet = bench.emptyFleet()) {
      var run = new Rounds(bench, fleet.startOrrery(limit), count, thread);
      run.load();
      for (int i = 0; i < WARM_UPS; i++) {
        run.change();
      }
      bench.warmUpFresh(run.steady(QUIET), fleet.targets());
      double seconds = 1;
      for (int round = -WARM_UPS; round < bench.plan().judgedRounds(); round++) {
        var variants = run.measure(seconds);
        seconds = variants.get(SPLITTING).get(Metric.CHANGE_SECONDS);
        if (round >= 0) { // before, reads and splits together are compiled anew
          String name = run.target.name();
          for (var variant : variants.entrySet()) {
            bench.record(new Sample(NAME, variant.getKey(), name, round, variant.getValue()));
          }
        }
      }
    } finally {
      thread.shutdown();
    }
  }

  private record Rounds(Bench bench, Target target, int count, ExecutorService thread) {
    void load() throws IOException {
      Loading.dropDatabase(target);
      Partitioned.create(target, YcsbTraffic.COLLECTION, "_id", 1);
      Loading.insert(target, YcsbTraffic.COLLECTION, count, Records::document);
    }

    /** A split and a merge that are not measured, and fast because the server is idle. */
    void change() throws IOException {
      fill();
      while (isWhole()) {
        LockSupport.parkNanos(SLICE.nanos());
      }
      merge();
    }

    private boolean isWhole() throws IOException {
      return Partitioned.count(target) == 1;
    }

    private void fill() throws IOException {
      Loading.insert(
          target, YcsbTraffic.COLLECTION, EXTRA_RECORDS, i -> Records.document(count + i));
    }

    private void merge() throws IOException {
      var ids = new BsonArray();
      for (int i = 0; i < EXTRA_RECORDS; i++) {
        ids.add(new BsonString(Records.key(count + i)));
      }
      Loading.delete(target, YcsbTraffic.COLLECTION, ids);
      Partitioned.mergeAll(target, YcsbTraffic.COLLECTION);
    }

    Steady steady(String variant) {
      return new Steady(NAME, variant, CONNECTIONS, any -> traffic());
    }

    private Traffic traffic() {
      var random = new SplittableRandom(5);
      return new YcsbTraffic(
          Mix.C, new UniformKeys(random), new AtomicLong(count), CONNECTIONS, random);
    }

    /**
     * By variant.
     *
     * @param seconds how long a split is likely to take, and so reads without one
     */
    Map<String, Map<Metric, Double>> measure(double seconds) throws IOException {
      var values = new LinkedHashMap<String, Map<Metric, Double>>();
      var before = quiet(seconds / 2);
      fill();
      values.put(SPLITTING, change(SPLITTING, this::isWhole));
      Future<Void> merging =
          thread.submit(
              () -> {
                merge();
                return null;
              });
      values.put(MERGING, change(MERGING, () -> !merging.isDone()));
      require(merging);
      values.put(QUIET, mean(before, quiet(seconds / 2)));
      return values;
    }

    private Map<Metric, Double> quiet(double seconds) throws IOException {
      long end = System.nanoTime() + (long) (seconds * 1e9);
      Bench.Condition goesOn = () -> isWhole() && System.nanoTime() < end; // asks as often
      return bench.measureWhile(goesOn, steady(QUIET), target, SLICE);
    }

    private static Map<Metric, Double> mean(Map<Metric, Double> one, Map<Metric, Double> other) {
      var mean = new EnumMap<Metric, Double>(Metric.class);
      one.forEach((metric, value) -> mean.put(metric, (value + other.get(metric)) / 2));
      return mean;
    }

    private static void require(Future<Void> done) throws IOException {
      try {
        done.get();
      } catch (InterruptedException | ExecutionException e) {
        throw new IOException(e);
      }
    }

    private Map<Metric, Double> change(String variant, Bench.Condition goesOn) throws IOException {
      long start = System.nanoTime();
      var values = new EnumMap<Metric, Double>(Metric.class);
      values.putAll(bench.measureWhile(goesOn, steady(variant), target, SLICE));
      values.put(Metric.CHANGE_SECONDS, (System.nanoTime() - start) / 1e9);
      return values;
    }
  }
}
