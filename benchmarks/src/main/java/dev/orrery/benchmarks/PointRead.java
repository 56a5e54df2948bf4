package dev.orrery.benchmarks;

import dev.orrery.benchmarks.client.CommandConnection;
import dev.orrery.benchmarks.client.LeanClient;
import dev.orrery.benchmarks.client.LoadClient.Limit;
import dev.orrery.benchmarks.client.LoadClient.Load;
import dev.orrery.benchmarks.client.Template;
import dev.orrery.benchmarks.client.Traffic;
import dev.orrery.benchmarks.servers.CeilingServer;
import dev.orrery.benchmarks.servers.ProcessUsage;
import dev.orrery.benchmarks.servers.ServerProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** Reads by {@code _id} from Orrery and from the ceiling, in turns: a look at one number. */
final class PointRead {
  private static final int DOCUMENTS = 10_000;
  private static final int BATCH = 1000;
  private static final String DATABASE = "benchmark";

  private final int connections;
  private final int seconds;
  private final int rounds;
  private final String jar;

  PointRead(Options options) {
    connections = options.number("connections", 64);
    seconds = options.number("seconds", 3);
    rounds = options.number("rounds", 5);
    jar = options.text("jar", "server/target/orrery.jar");
  }

  void run() throws IOException {
    var arguments = List.of("-jar", jar, "--port", "0", "--console-port", "off", "--ephemeral");
    try (var orrery = ServerProcess.start(arguments)) {
      int replyBytes = load(orrery);
      var size = List.of("" + replyBytes);
      try (var ceiling = ServerProcess.startMain(CeilingServer.class, size)) {
        for (int round = 0; round <= rounds; round++) {
          String label = round == 0 ? "warm-up" : "round " + round;
          double ours = measure(label, "orrery", orrery);
          double theirs = measure(label, "ceiling", ceiling);
          System.out.printf(Locale.ROOT, "%-8s CPU ratio %.2f%n", label, ours / theirs);
        }
      }
    }
  }

  private static int load(ServerProcess server) throws IOException {
    try (var connection = new CommandConnection(server.address())) {
      for (int first = 0; first < DOCUMENTS; first += BATCH) {
        var documents = new BsonArray();
        for (int i = first; i < first + BATCH; i++) {
          documents.add(document(key(i)));
        }
        connection.run(
            DATABASE,
            new BsonDocument("insert", new BsonString("c")).append("documents", documents));
      }
      return connection.replyBytes(DATABASE, find(key(1)));
    }
  }

  private static BsonDocument document(String key) {
    var document = new BsonDocument("_id", new BsonString(key));
    for (int field = 0; field < 10; field++) {
      document.append("field" + field, new BsonString("abcde".repeat(20)));
    }
    return document;
  }

  private static String key(int number) {
    return String.format(Locale.ROOT, "user%012d", number);
  }

  private static BsonDocument find(String key) {
    return new BsonDocument("find", new BsonString("c"))
        .append("filter", new BsonDocument("_id", new BsonString(key)))
        .append("limit", new BsonInt32(1))
        .append("singleBatch", org.bson.BsonBoolean.TRUE);
  }

  private double measure(String label, String name, ServerProcess server) throws IOException {
    try (var client = new LeanClient(server.address(), connections)) {
      long before = ProcessUsage.cpuNanos(server.pid());
      Load load = client.run(new Finds(), Limit.seconds(seconds));
      double micros = (ProcessUsage.cpuNanos(server.pid()) - before) / 1e3 / load.requests();
      System.out.printf(
          Locale.ROOT,
          "%-8s %-8s %,9.0f requests/s %6.2f us CPU/request, p50 %,6.0f us, p99 %,6.0f us%n",
          label,
          name,
          load.perSecond(),
          micros,
          load.latencies().percentile(0.5) / 1e3,
          load.latencies().percentile(0.99) / 1e3);
      return micros;
    }
  }

  /** Finds of random documents. */
  private static final class Finds implements Traffic {
    private final Template template =
        Template.of(find(key(0)).append("$db", new BsonString(DATABASE)));
    private final int keyOffset = template.find(key(0));
    private final SplittableRandom random = new SplittableRandom(1);

    @Override
    public int next(int connection, ByteBuffer message) {
      template.copyTo(message);
      byte[] key = key(random.nextInt(DOCUMENTS)).getBytes(StandardCharsets.US_ASCII);
      message.put(keyOffset, key);
      return 1000;
    }

    @Override
    public int messageBytes() {
      return template.length();
    }
  }
}
