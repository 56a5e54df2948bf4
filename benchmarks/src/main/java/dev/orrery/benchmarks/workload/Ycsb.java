package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.servers.Fleet;
import dev.orrery.benchmarks.servers.Kind;
import dev.orrery.benchmarks.servers.Target;
import dev.orrery.benchmarks.ycsb.KeyChooser;
import dev.orrery.benchmarks.ycsb.LatestKeys;
import dev.orrery.benchmarks.ycsb.Mix;
import dev.orrery.benchmarks.ycsb.Records;
import dev.orrery.benchmarks.ycsb.ScrambledZipfianKeys;
import dev.orrery.benchmarks.ycsb.UniformKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/** One of YCSB's core workloads on documents of 1 KB. */
final class Ycsb implements Workload {
  private static final int RECORDS = 20_000;
  private static final long SEED = 42;

  private final String name;
  private final Mix mix;
  private final Map<String, AtomicLong> records = new HashMap<>();

  Ycsb(String name, Mix mix) {
    this.name = name;
    this.mix = mix;
  }

  /** Which records are popular. */
  private enum Popularity {
    ZIPFIAN,
    UNIFORM,
    LATEST;

    KeyChooser chooser(int records, SplittableRandom random) {
      return switch (this) {
        case ZIPFIAN -> new ScrambledZipfianKeys(records, random);
        case UNIFORM -> new UniformKeys(random);
        case LATEST -> new LatestKeys(records, random);
      };
    }

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Override
  public String name() {
    return name;
  }

  /** The store on a file takes part in the most demanding variant only, the ceiling in reads. */
  @Override
  public void run(Bench bench) throws IOException {
    int count = bench.plan().documents(RECORDS);
    try (Fleet fleet = bench.fleet(Kind.ORRERY, Kind.MEMORY, Kind.H2)) {
      for (Target target : fleet.targets()) {
        load(target, count);
      }
      if (mix.equals(Mix.C)) {
        fleet.startCeiling(Loading.DATABASE, YcsbTraffic.readCommand());
      }
      Popularity usual = mix.equals(Mix.D) ? Popularity.LATEST : Popularity.ZIPFIAN;
      int most = bench.plan().mostConnections();
      bench.warmUpFresh(steady(usual, most, count), fleet.targets());
      for (int connections : bench.plan().connections()) {
        boolean isAll = connections == most;
        bench.interleave(steady(usual, connections, count), chosen(fleet, isAll));
        bench.interleave(steady(Popularity.UNIFORM, connections, count), chosen(fleet, false));
      }
    }
  }

  private static List<Target> chosen(Fleet fleet, boolean isAll) {
    var chosen = new ArrayList<>(fleet.targets());
    chosen.removeIf(target -> target.kind() == Kind.H2 && !isAll);
    return chosen;
  }

  private void load(Target target, int count) throws IOException {
    Loading.dropDatabase(target);
    Loading.insert(target, YcsbTraffic.COLLECTION, count, Records::document);
    records.put(target.name(), new AtomicLong(count));
  }

  private Steady steady(Popularity popularity, int connections, int count) {
    String variant = popularity.label() + ", " + Steady.connections(connections);
    return new Steady(
        name,
        variant,
        connections,
        target -> {
          var random = new SplittableRandom(SEED);
          KeyChooser keys = popularity.chooser(count, random);
          AtomicLong known = records.getOrDefault(target.name(), new AtomicLong(count));
          return new YcsbTraffic(mix, keys, known, connections, random);
        });
  }
}
