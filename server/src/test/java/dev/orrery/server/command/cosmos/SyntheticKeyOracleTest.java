package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CosmosFixture;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every recorded query finds the same whether the server makes a partition key or there is none.
 */
final class SyntheticKeyOracleTest {
  private static final JsonWriterSettings EXACT =
      JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();

  @TempDir Path directory;

  private static List<BsonDocument> lines(String name) throws IOException {
    var found = new ArrayList<BsonDocument>();
    try (var reader =
        new BufferedReader(
            new InputStreamReader(
                SyntheticKeyOracleTest.class.getResourceAsStream("/oracle/" + name),
                StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        found.add(BsonDocument.parse(line));
      }
    }
    return found;
  }

  @Test
  void theyFindWhatAPlainCollectionGives() throws IOException {
    try (var server = CosmosFixture.extended(directory)) {
      Map<String, Integer> sizes = load(server);
      int compared = 0;
      for (BsonDocument one : lines("query.jsonl")) {
        BsonDocument command = one.getDocument("command");
        BsonValue collection = command.get(command.getFirstKey());
        boolean isRead = List.of("find", "count", "distinct").contains(command.getFirstKey());
        if (isRead && collection.isString() && sizes.containsKey(name(collection))) {
          assertThat(answer(server, command, ""))
              .as(command.toJson())
              .isEqualTo(answer(server, command, "-plain"));
          compared++;
        }
      }
      assertThat(compared).isGreaterThan(100);
    }
  }

  private static String name(BsonValue collection) {
    return collection.asString().getValue();
  }

  private static Map<String, Integer> load(CosmosFixture server) throws IOException {
    var sizes = new HashMap<String, Integer>();
    for (BsonDocument set : lines("_data.jsonl")) {
      String name = set.getString("set").getValue();
      server.must(
          ("{shardCollection: 'shop.%s', key: {madeKey: 'hashed'}, numInitialChunks: 5, synthetic:"
                  + " {madeKey: {$mod: [{$toHashedIndexKey: '$_id'}, 9]}}, $db: 'admin'}")
              .formatted(name));
      server.must(insert(name, set.getArray("docs")));
      server.must(insert(name + "-plain", all(server, name)));
      sizes.put(name, set.getArray("docs").size());
    }
    return sizes;
  }

  private static BsonArray all(CosmosFixture server, String name) {
    return server
        .must("{find: '%s', batchSize: 100000}".formatted(name))
        .getDocument("cursor")
        .getArray("firstBatch");
  }

  private static String insert(String name, BsonArray documents) {
    return new BsonDocument("insert", new BsonString(name))
        .append("documents", documents)
        .append("$db", new BsonString("shop"))
        .toJson(EXACT);
  }

  /** The results in an order of their own, or the error. */
  private static String answer(CosmosFixture server, BsonDocument command, String suffix) {
    BsonDocument changed = command.clone();
    String first = command.getFirstKey();
    changed.put(first, new BsonString(name(command.get(first)) + suffix));
    changed.put("$db", new BsonString("shop"));
    if (first.equals("find") && !changed.containsKey("limit")) {
      changed.put("batchSize", new BsonInt32(100_000));
    }
    BsonDocument reply = server.run(changed.toJson(EXACT));
    if (!reply.containsKey("cursor")) {
      reply.remove("operationTime");
      return sorted(reply.getArray("values", new BsonArray()))
          + reply.get("n")
          + reply.get("code")
          + reply.get("errmsg");
    }
    return sorted(reply.getDocument("cursor").getArray("firstBatch"));
  }

  private static String sorted(BsonArray results) {
    var texts = new ArrayList<String>();
    results.forEach(one -> texts.add(new BsonDocument("r", one).toJson(EXACT)));
    Collections.sort(texts);
    return texts.toString();
  }
}
