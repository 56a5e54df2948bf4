package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.client.LoadClient.Limit;
import dev.orrery.benchmarks.report.Sample;
import dev.orrery.benchmarks.servers.Fleet;
import dev.orrery.benchmarks.servers.Kind;
import dev.orrery.benchmarks.servers.Target;
import dev.orrery.benchmarks.workload.NumberTraffic.Range;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * The same query on 1, 4, 16 and 64 partitions: one that names the partition key and goes to a
 * single partition, and one that does not and goes to all. Only Orrery has partitions.
 */
public final class FanOut implements Workload {
  public static final String NAME = "fan-out";
  public static final List<Integer> PARTITIONS = List.of(1, 4, 16, 64);

  private static final int DOCUMENTS = 20_000;
  private static final int CONNECTIONS = 8;
  private static final int LEAST_REPLY_BYTES = 200;
  private static final String FILLER = "x".repeat(150);

  @Override
  public String name() {
    return NAME;
  }

  /** The label of a variant: {@code targeted, 4 partitions}. */
  public static String variant(boolean isTargeted, int partitions) {
    return "%s, %d partition%s"
        .formatted(isTargeted ? "targeted" : "all", partitions, partitions == 1 ? "" : "s");
  }

  @Override
  public void run(Bench bench) throws IOException {
    int count = bench.plan().documents(DOCUMENTS);
    try (Fleet fleet = bench.emptyFleet()) {
      Target target = fleet.start(Kind.ORRERY);
      for (int partitions : PARTITIONS) {
        load(target, partitions, count);
      }
      var variants = new ArrayList<Steady>();
      for (boolean isTargeted : List.of(true, false)) {
        PARTITIONS.forEach(partitions -> variants.add(steady(isTargeted, partitions, count)));
      }
      interleave(bench, variants, target);
    }
  }

  /** Here the variants take turns, since they are what is compared. */
  private static void interleave(Bench bench, List<Steady> variants, Target target)
      throws IOException {
    bench.warmUpFresh(variants.get(0), List.of(target));
    for (Steady variant : variants) {
      bench.warmUp(variant, target);
    }
    for (int round = 0; round < bench.plan().judgedRounds(); round++) {
      for (Steady variant : variants) {
        var values = bench.measure(variant, target, Limit.seconds(bench.plan().seconds()));
        bench.record(new Sample(NAME, variant.variant(), target.name(), round, values));
      }
    }
  }

  private static void load(Target target, int partitions, int count) throws IOException {
    String collection = collection(partitions);
    Partitioned.create(target, collection, "key", partitions);
    Loading.index(target, collection, "tag");
    Loading.index(target, collection, "key");
    Loading.insert(target, collection, count, FanOut::document);
  }

  private static String collection(int partitions) {
    return "partitions" + partitions;
  }

  private static BsonDocument document(long number) {
    return new BsonDocument("_id", new BsonInt64(number))
        .append("key", new BsonInt32((int) number))
        .append("tag", new BsonInt32((int) number))
        .append("filler", new BsonString(FILLER));
  }

  private static Steady steady(boolean isTargeted, int partitions, int count) {
    var filter = new BsonDocument(isTargeted ? "key" : "tag", new BsonInt32(NumberTraffic.FROM));
    BsonDocument find = Loading.find(collection(partitions), filter, 0);
    find.remove("limit");
    return new Steady(
        NAME,
        variant(isTargeted, partitions),
        CONNECTIONS,
        target -> new NumberTraffic(find, new Range(count, 0, LEAST_REPLY_BYTES)));
  }
}
