package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CosmosFixture;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.bson.BsonDocument;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where documents are kept never decides whether a query finds them. */
final class PartitionTargetingTest {
  /** What a partition key can be; the first is missing. */
  private static final List<String> VALUES =
      List.of(
          "",
          "null",
          "{$undefined: true}",
          "1",
          "{$numberDouble: '1.0'}",
          "{$numberLong: '9007199254740993'}",
          "{$numberDouble: '9007199254740992.0'}",
          "{$numberDecimal: '0.1'}",
          "{$numberDouble: '0.1'}",
          "{$numberDouble: 'NaN'}",
          "{$numberDecimal: 'NaN'}",
          "{$numberDouble: '-0.0'}",
          "0",
          "'a'",
          "''",
          "{$symbol: 'a'}",
          "true",
          "false",
          "{$oid: '0123456789abcdef01234567'}",
          "{$date: {$numberLong: '5'}}",
          "{$timestamp: {t: 1, i: 2}}",
          "{$binary: {base64: 'AAAA', subType: '00'}}",
          "{$binary: {base64: 'AAAA', subType: '04'}}",
          "{$regularExpression: {pattern: 'a', options: ''}}",
          "{x: 1}",
          "{x: {$numberDouble: '1.0'}}",
          "{x: [1]}",
          "{}",
          "{$code: 'a'}",
          "{$minKey: 1}",
          "{$maxKey: 1}");

  private static final List<String> NAMES = List.of("many", "one", "made", "plain");

  @TempDir Path directory;

  @Test
  void aQueryFindsTheSameInManyPartitionsInOneAndInNone() {
    try (var server = CosmosFixture.extended(directory)) {
      for (String key : List.of("k", "a.b", "a.0")) {
        compare(server, key);
        NAMES.forEach(name -> server.must("{drop: '" + name + "'}"));
      }
    }
  }

  private static void compare(CosmosFixture server, String key) {
    String sharded = "{shardCollection: 'shop.%s', key: {'%s': 'hashed'}, numInitialChunks: %d,";
    server.must(sharded.formatted("many", key, 16) + " $db: 'admin'}");
    server.must(sharded.formatted("one", key, 1) + " $db: 'admin'}");
    server.must(
        sharded.formatted("made", "m", 16)
            + " synthetic: {m: {$toHashedIndexKey: '$"
            + key
            + "'}}, $db: 'admin'}");
    for (int i = 0; i < VALUES.size(); i++) {
      String document = "{_id: " + i + document(key, VALUES.get(i)) + "}";
      for (String name : NAMES) {
        server.must("{insert: '" + name + "', documents: [" + document + "]}");
      }
    }
    for (String filter : filters(key)) {
      String expected = found(server, "plain", filter);
      assertThat(found(server, "many", filter)).as(filter).isEqualTo(expected);
      assertThat(found(server, "one", filter)).as(filter).isEqualTo(expected);
      assertThat(found(server, "made", filter)).as(filter).isEqualTo(expected);
    }
  }

  private static String document(String key, String value) {
    if (value.isEmpty()) {
      return "";
    }
    int dot = key.indexOf('.');
    return dot < 0
        ? ", " + key + ": " + value
        : ", " + key.substring(0, dot) + ": {'" + key.substring(dot + 1) + "': " + value + "}";
  }

  private static List<String> filters(String key) {
    var filters = new ArrayList<String>();
    List<String> there = VALUES.subList(1, VALUES.size());
    for (String value : there) {
      filters.add("{'" + key + "': " + value + "}");
      filters.add("{_id: {$lt: 100}, '" + key + "': {$eq: " + value + "}}");
      filters.add("{'" + key + "': {$in: [" + value + ", 'a', 77]}}");
      filters.add("{'" + key + "': {$gte: " + value + "}}");
      filters.add("{'" + key + "': {$ne: " + value + "}}");
      filters.add("{$or: [{'" + key + "': " + value + "}, {'" + key + "': 0}]}");
      filters.add("{$and: [{'" + key + "': " + value + "}, {'" + key + "': {$ne: 0}}]}");
      for (String other : there) {
        filters.add("{$and: [{'" + key + "': " + value + "}, {'" + key + "': " + other + "}]}");
      }
      for (int id = 0; id < VALUES.size(); id += 7) {
        filters.add("{_id: " + id + ", '" + key + "': " + value + "}");
      }
      int dot = key.indexOf('.');
      if (dot > 0) { // a condition on what is above the key
        String parent = key.substring(0, dot);
        filters.add("{" + parent + ": {'" + key.substring(dot + 1) + "': " + value + "}}");
      }
    }
    filters.add("{'" + key + "': {$in: [" + String.join(", ", there.subList(2, 20)) + "]}}");
    filters.add("{'" + key + "': {$in: []}}");
    filters.add("{'" + key + "': {$exists: false}}");
    filters.add("{'" + key + "': {$not: {$exists: true}}}");
    filters.add("{'" + key + "': [1]}");
    filters.add("{'" + key + "': {$size: 1}}");
    filters.add("{'" + key + "': {$elemMatch: {$eq: 1}}}");
    filters.add("{'" + key + ".x': 1}");
    filters.add("{'" + key + ".0': 1}");
    filters.add("{$expr: {$eq: ['$" + key + "', 1]}}");
    return filters;
  }

  private static String found(CosmosFixture server, String collection, String filter) {
    BsonDocument reply =
        server.run(
            "{find: '"
                + collection
                + "', filter: "
                + filter
                + ", projection: {m: 0}, batchSize: 1000}");
    if (!reply.containsKey("cursor")) {
      return reply.getString("errmsg").getValue();
    }
    var documents = new TreeSet<String>();
    var settings = JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();
    reply
        .getDocument("cursor")
        .getArray("firstBatch")
        .forEach(one -> documents.add(one.asDocument().toJson(settings)));
    return documents.toString();
  }
}
