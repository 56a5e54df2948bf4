package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.servers.Fleet;
import dev.orrery.benchmarks.servers.Kind;
import dev.orrery.benchmarks.servers.Target;
import dev.orrery.benchmarks.ycsb.Mix;
import dev.orrery.benchmarks.ycsb.Records;
import dev.orrery.benchmarks.ycsb.UniformKeys;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Finds by {@code _id}, beside the peer and beside a server that does not look at requests. */
public final class PointRead implements Workload {
  public static final String NAME = "point-read";
  private static final int RECORDS = 10_000;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void run(Bench bench) throws IOException {
    int count = bench.plan().documents(RECORDS);
    try (Fleet fleet = bench.fleet(Kind.ORRERY, Kind.MEMORY)) {
      for (Target target : fleet.targets()) {
        Loading.dropDatabase(target);
        Loading.insert(target, YcsbTraffic.COLLECTION, count, Records::document);
      }
      fleet.startCeiling(Loading.DATABASE, YcsbTraffic.readCommand());
      bench.warmUpFresh(steady(bench.plan().mostConnections(), count), fleet.targets());
      for (int connections : bench.plan().connections()) {
        bench.interleave(steady(connections, count), fleet.targets());
      }
    }
  }

  private static Steady steady(int connections, int count) {
    return new Steady(
        NAME,
        Steady.connections(connections),
        connections,
        target -> {
          var random = new SplittableRandom(1);
          return new YcsbTraffic(
              Mix.C, new UniformKeys(random), new AtomicLong(count), connections, random);
        });
  }
}
