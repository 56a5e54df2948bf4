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
import org.bson.BsonDocument;
import org.bson.BsonString;

/** Fills empty collections with inserts of 1,000 documents, from one connection. */
final class BulkLoad implements Workload {
  private static final int DOCUMENTS = 40_000;
  private static final int BATCH = 1000;
  private static final int WARM_UPS = 3;
  private static final long LONGEST_NANOS = 2_000_000_000L;
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
        targets.removeIf(target -> partitions > 1 && !target.isOurs());
        for (int indexes : List.of(0, 3)) {
          interleave(bench, new Variant(partitions, indexes), targets);
        }
      }
    }
  }

  private void interleave(Bench bench, Variant variant, List<Target> targets) throws IOException {
    for (int round = -WARM_UPS; round < bench.plan().rounds(); round++) {
      for (Target target : targets) {
        Sample sample = load(bench, variant, target, round);
        if (round >= 0) {
          bench.record(sample);
        }
      }
    }
  }

  private Sample load(Bench bench, Variant variant, Target target, int round) throws IOException {
    Loading.dropDatabase(target);
    create(variant, target);
    int batches = bench.plan().documents(DOCUMENTS) / BATCH;
    var limit = new Limit(LONGEST_NANOS, batches); // a slow server need not take them all
    var steady = new Steady(name(), variant.label(), 1, each -> new BulkTraffic(COLLECTION, BATCH));
    var values = new EnumMap<Metric, Double>(bench.measure(steady, target, limit));
    double megabytes = (double) BATCH * BulkTraffic.documentBytes() / MEGABYTE;
    Double micros = values.get(Metric.SERVER_CPU_MICROS);
    if (micros != null) {
      values.put(Metric.MEGABYTES_PER_CPU_SECOND, megabytes * 1e6 / micros);
    }
    return new Sample(name(), variant.label(), target.name(), round, values);
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
