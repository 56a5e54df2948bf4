package dev.orrery.benchmarks.search;

import dev.orrery.benchmarks.client.CommandConnection;
import dev.orrery.benchmarks.servers.ProcessUsage;
import dev.orrery.benchmarks.servers.Target;
import dev.orrery.benchmarks.workload.Loading;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/**
 * What some searches have read, by what explain says of each.
 *
 * @param keys the entries of the index that each has looked at, the fewest first
 * @param documents the documents, the fewest first
 * @param found what they have found, all of them together
 * @param cpuNanos the server's CPU time for all of them when nobody asks it to explain
 */
record Explained(List<Integer> keys, List<Integer> documents, long found, long cpuNanos) {
  static final String HEAD =
      """
      | search | of them | found | keys: median | most | documents: median | most | CPU, us |
      |---|---|---|---|---|---|---|---|""";

  private static final double NANOS_PER_MICRO = 1e3;

  /** Runs some finds: first to be explained, then to be counted. */
  static Explained of(Target target, List<BsonDocument> finds) throws IOException {
    var keys = new ArrayList<Integer>();
    var documents = new ArrayList<Integer>();
    long found = 0;
    try (var connection = new CommandConnection(target.address())) {
      for (BsonDocument find : finds) {
        BsonDocument explain =
            new BsonDocument("explain", find).append("verbosity", new BsonString("executionStats"));
        BsonDocument statistics =
            connection.run(Loading.DATABASE, explain).getDocument("executionStats");
        keys.add(statistics.getNumber("totalKeysExamined").intValue());
        documents.add(statistics.getNumber("totalDocsExamined").intValue());
        found += statistics.getNumber("nReturned").longValue();
      }
      long before = ProcessUsage.cpuNanos(target.process().pid());
      for (BsonDocument find : finds) {
        connection.run(Loading.DATABASE, find);
      }
      long spent = ProcessUsage.cpuNanos(target.process().pid()) - before;
      return new Explained(sorted(keys), sorted(documents), found, spent);
    }
  }

  private static List<Integer> sorted(List<Integer> numbers) {
    return numbers.stream().sorted().toList();
  }

  /** A find that needs no second batch. */
  static BsonDocument find(String collection, String filter, int limit) {
    return new BsonDocument("find", new BsonString(collection))
        .append("filter", BsonDocument.parse(filter))
        .append("limit", new BsonInt32(limit))
        .append("batchSize", new BsonInt32(limit))
        .append("singleBatch", BsonBoolean.TRUE);
  }

  int mostKeys() {
    return keys.get(keys.size() - 1);
  }

  String row(String title) {
    int count = keys.size();
    return String.format(
        Locale.ROOT,
        "| %s | %,d | %,d | %,d | %,d | %,d | %,d | %,.0f |",
        title,
        count,
        found,
        keys.get(count / 2),
        mostKeys(),
        documents.get(count / 2),
        documents.get(count - 1),
        cpuNanos / NANOS_PER_MICRO / count);
  }
}
