package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.client.CommandConnection;
import dev.orrery.benchmarks.client.Histogram;
import dev.orrery.benchmarks.client.LoadClient.Limit;
import dev.orrery.benchmarks.client.StreamReader;
import dev.orrery.benchmarks.report.Metric;
import dev.orrery.benchmarks.report.Sample;
import dev.orrery.benchmarks.servers.Fleet;
import dev.orrery.benchmarks.servers.Kind;
import dev.orrery.benchmarks.servers.Target;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;

/**
 * Inserts without a change stream, beside many that have nothing to tell, and beside many that tell
 * each of them; how long after its acknowledgement a write is told; and how fast old changes are
 * read.
 */
public final class Streams implements Workload {
  public static final String NAME = "streams";
  public static final String QUIET = "inserts, no stream";
  public static final String WATCHED = "inserts, 200 streams on other documents";
  public static final String TOLD = "inserts, 200 streams that tell all";
  public static final String LATENCY = "from acknowledgement to event";
  public static final String BACKLOG = "old events";

  private static final String COLLECTION = "streams";
  private static final int STREAMS = 200;
  private static final int CONNECTIONS = 8;
  private static final int OLD_EVENTS = 1_000_000;
  private static final long WRITE_EVERY_NANOS = 5_000_000;
  private static final int PATIENCE_SECONDS = 60;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void run(Bench bench) throws Exception {
    try (Fleet fleet = bench.fleet(Kind.ORRERY)) {
      for (Target target : fleet.targets()) {
        Loading.dropDatabase(target);
        target.run(Loading.DATABASE, new BsonDocument("create", new BsonString(COLLECTION)));
      }
      var traffic = new ConcurrentHashMap<String, BulkTraffic>();
      fleet.targets().forEach(one -> traffic.put(one.name(), new BulkTraffic(COLLECTION, 1)));
      Steady steady = new Steady(NAME, QUIET, CONNECTIONS, one -> traffic.get(one.name()));
      bench.warmUpFresh(steady, fleet.targets());
      for (int round = 0; round < bench.plan().judgedRounds(); round++) {
        for (Target target : fleet.targets()) {
          record(bench, QUIET, target, round, inserts(bench, steady, target, 0, all()));
          record(bench, WATCHED, target, round, inserts(bench, steady, target, STREAMS, other()));
          record(bench, TOLD, target, round, inserts(bench, steady, target, STREAMS, all()));
          record(bench, LATENCY, target, round, latency(target, bench.plan().seconds()));
        }
      }
      for (Target target : fleet.targets()) {
        backlog(bench, target);
      }
    }
  }

  private static void record(
      Bench bench, String variant, Target target, int round, Map<Metric, Double> values) {
    bench.record(new Sample(NAME, variant, target.name(), round, values));
  }

  private static BsonArray all() {
    return stages(new BsonDocument(), null);
  }

  private static BsonArray other() {
    return stages(
        new BsonDocument(), new BsonDocument("documentKey._id", new BsonString("none of them")));
  }

  private static BsonArray stages(BsonDocument options, BsonDocument match) {
    var stages = new BsonArray(List.of(new BsonDocument("$changeStream", options)));
    if (match != null) {
      stages.add(new BsonDocument("$match", match));
    }
    return stages;
  }

  /** Inserts as fast as they go while so many streams are open. */
  private static Map<Metric, Double> inserts(
      Bench bench, Steady steady, Target target, int streams, BsonArray stages) throws IOException {
    ExecutorService threads = Executors.newCachedThreadPool();
    var readers = new StreamReader[streams];
    try {
      for (int i = 0; i < streams; i++) {
        readers[i] = new StreamReader(target.address(), Loading.DATABASE, COLLECTION, stages);
        StreamReader reader = readers[i];
        threads.execute(() -> readOn(reader));
      }
      return bench.measure(steady, target, Limit.seconds(bench.plan().seconds()));
    } finally {
      for (StreamReader reader : readers) {
        if (reader != null) {
          reader.close();
        }
      }
      threads.shutdown();
    }
  }

  private static void readOn(StreamReader reader) {
    try {
      while (true) {
        reader.pass();
      }
    } catch (IOException e) {
      // It was closed, which is how it ends.
    }
  }

  /** Writes now and then, and how long after its acknowledgement each is told. */
  private static Map<Metric, Double> latency(Target target, double seconds) throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    int count = (int) (seconds * TimeUnit.SECONDS.toNanos(1) / WRITE_EVERY_NANOS);
    Map<Long, Long> told = new ConcurrentHashMap<>();
    long first = System.nanoTime();
    try (var reader = new StreamReader(target.address(), Loading.DATABASE, COLLECTION, all());
        var connection = new CommandConnection(target.address())) {
      Future<Void> reading = thread.submit(() -> read(reader, first, count, told));
      var acknowledged = new long[count];
      for (int i = 0; i < count; i++) {
        connection.run(Loading.DATABASE, insert(first + i));
        acknowledged[i] = System.nanoTime();
        LockSupport.parkNanos(WRITE_EVERY_NANOS);
      }
      reading.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      var latencies = new Histogram();
      for (int i = 0; i < count; i++) {
        latencies.record(told.get(first + i) - acknowledged[i]);
      }
      var values = new EnumMap<Metric, Double>(Metric.class);
      double took = acknowledged[count - 1] - acknowledged[0];
      values.put(Metric.REQUESTS_PER_SECOND, (count - 1) * 1e9 / took);
      values.put(Metric.P50_MICROS, latencies.percentile(0.5) / 1e3);
      values.put(Metric.P99_MICROS, latencies.percentile(0.99) / 1e3);
      return values;
    } finally {
      thread.shutdownNow();
    }
  }

  private static BsonDocument insert(long id) {
    var documents = new BsonArray(List.of(new BsonDocument("_id", new BsonInt64(id))));
    return new BsonDocument("insert", new BsonString(COLLECTION)).append("documents", documents);
  }

  private static Void read(StreamReader reader, long first, int count, Map<Long, Long> told)
      throws IOException {
    while (told.size() < count) {
      BsonArray batch = reader.next();
      long now = System.nanoTime();
      for (BsonValue event : batch) {
        BsonValue id = event.asDocument().getDocument("documentKey").get("_id");
        if (id.isInt64() && id.asInt64().getValue() >= first) {
          told.put(id.asInt64().getValue(), now);
        }
      }
    }
    return null;
  }

  /** One stream reads changes from long ago. */
  private static void backlog(Bench bench, Target target) throws IOException {
    int count = bench.plan().documents(OLD_EVENTS);
    String collection = "backlog";
    BsonTimestamp start =
        target
            .run(Loading.DATABASE, new BsonDocument("changeFeedInfo", new BsonInt32(1)))
            .getTimestamp("tLast");
    Loading.insert(target, collection, count, i -> new BsonDocument("_id", new BsonInt64(i)));
    BsonArray stages = stages(new BsonDocument("startAtOperationTime", start), null);
    for (int round = 0; round < bench.plan().rounds(CONNECTIONS); round++) {
      long nanos = Bench.cpuNanos(target);
      long seen = 0;
      try (var reader = new StreamReader(target.address(), Loading.DATABASE, collection, stages)) {
        while (seen < count) {
          BsonArray batch = reader.next();
          if (batch.isEmpty()) {
            throw new IOException("only %d of %d changes were told".formatted(seen, count));
          }
          seen += batch.size();
        }
      }
      var values = new EnumMap<Metric, Double>(Metric.class);
      values.put(Metric.EVENTS_PER_CPU_SECOND, seen * 1e9 / (Bench.cpuNanos(target) - nanos));
      record(bench, BACKLOG, target, round, values);
    }
  }
}
