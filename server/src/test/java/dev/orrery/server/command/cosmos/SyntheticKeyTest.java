package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CosmosFixture;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server makes the partition key of other fields, keeps it true, and finds documents by it. */
final class SyntheticKeyTest {
  private static final String CONCATENATED = "{$concat: ['$deviceId', '-', {$toString: '$date'}]}";
  private static final String RANDOM = "{$randomSuffix: ['$date', 40]}";
  private static final String HASHED = "{$hashSuffix: ['$date', '$vin', 40]}";

  @TempDir Path directory;
  private CosmosFixture server;

  @BeforeEach
  void open() {
    server = CosmosFixture.extended(directory);
  }

  @AfterEach
  void close() {
    server.close();
  }

  private static String shard(String name, String expression) {
    return ("{shardCollection: 'shop.%s', key: {pk: 'hashed'}, synthetic: {pk: %s},"
            + " numInitialChunks: 16, $db: 'admin'}")
        .formatted(name, expression);
  }

  private BsonDocument only(String name, String filter) {
    List<BsonValue> found =
        server
            .must("{find: '%s', filter: %s}".formatted(name, filter))
            .getDocument("cursor")
            .getArray("firstBatch");
    assertThat(found).hasSize(1);
    return found.get(0).asDocument();
  }

  private String key(String name, String filter) {
    return only(name, filter).getString("pk").getValue();
  }

  /** What explain says of the key for a filter. */
  private BsonDocument explained(String name, String filter) {
    return server
        .must("{explain: {find: '%s', filter: %s}}".formatted(name, filter))
        .getDocument("queryPlanner")
        .getDocument("synthetic");
  }

  @Test
  void theFieldIsWrittenOnInsertUpsertMergeAndOut() {
    server.must(shard("a", CONCATENATED));
    server.must("{insert: 'a', documents: [{_id: 1, deviceId: 'abc-123', date: 2018}]}");
    assertThat(key("a", "{_id: 1}")).isEqualTo("abc-123-2018");
    server.must(
        "{update: 'a', updates: [{q: {_id: 2, deviceId: 'x', date: 2019}, u: {$set: {n: 1}},"
            + " upsert: true}]}");
    assertThat(key("a", "{_id: 2}")).isEqualTo("x-2019");
    server.must("{insert: 'plain', documents: [{_id: 3, deviceId: 'y', date: 2020}]}");
    server.must("{aggregate: 'plain', pipeline: [{$out: 'a'}], cursor: {}}");
    assertThat(key("a", "{}")).isEqualTo("y-2020");
    assertThat(explained("a", "{deviceId: 'y', date: 2020}").getArray("partitions")).hasSize(1);
  }

  @Test
  void mergeFindsDocumentsByTheKeyThatItMakes() {
    server.must(shard("a", CONCATENATED));
    server.must("{insert: 'plain', documents: [{_id: 1, deviceId: 'x', date: 2019, n: 1}]}");
    String merge = "{aggregate: 'plain', pipeline: [{$merge: 'a'}], cursor: {}}";
    server.must(merge);
    server.must("{update: 'plain', updates: [{q: {}, u: {$set: {n: 2}}}]}");
    server.must(merge);
    assertThat(only("a", "{}"))
        .isEqualTo(BsonDocument.parse("{_id: 1, deviceId: 'x', date: 2019, n: 2, pk: 'x-2019'}"));
    server.must(shard("b", RANDOM));
    server.must("{update: 'plain', updates: [{q: {}, u: {$set: {date: 'may'}}}]}");
    assertThat(server.error(merge.replace("'a'", "'b'"))).startsWith("51132");
  }

  @Test
  void partitionOfTellsWhereADocumentWouldGo() {
    server.must(shard("a", CONCATENATED));
    BsonDocument told =
        server.must("{partitionOf: 'a', document: {deviceId: 'abc-123', date: 2018}}");
    assertThat(told).isEqualTo(server.must("{partitionOf: 'a', key: 'abc-123-2018'}"));
  }

  @Test
  void aFilterThatFixesTheInputsAsksOnePartitionAndReadsOneKey() {
    server.must(shard("a", CONCATENATED));
    for (int i = 0; i < 200; i++) {
      server.must(
          "{insert: 'a', documents: [{_id: %d, deviceId: 'd%d', date: %d}]}"
              .formatted(i, i % 20, 2000 + i % 10));
    }
    BsonDocument told = explained("a", "{deviceId: 'd7', date: {$numberDouble: '2007.0'}}");
    assertThat(told.getArray("values").toString()).contains("d7-2007").doesNotContain(",");
    assertThat(told.getArray("partitions")).hasSize(1);
    BsonDocument statistics =
        server
            .must(
                "{explain: {find: 'a', filter: {deviceId: 'd7', date: 2007}}, verbosity:"
                    + " 'executionStats'}")
            .getDocument("executionStats");
    assertThat(statistics.getInt32("nReturned").getValue()).isEqualTo(10);
    assertThat(statistics.getInt32("totalDocsExamined").getValue()).isEqualTo(10);
    assertThat(explained("a", "{deviceId: 'd7'}").containsKey("values")).isFalse();
    assertThat(explained("a", "{deviceId: 'd7'}").getArray("partitions")).hasSize(16);
    assertThat(
            explained("a", "{deviceId: {$in: ['d1', 'd2']}, date: {$in: [2001, 2002]}}")
                .getArray("values"))
        .hasSize(4);
    only("a", "{_id: 17, deviceId: 'd17', date: 2007}");
    assertThat(server.charge()).isLessThan(3.5);
  }

  @Test
  void aRandomSuffixSpreadsOneDayAndIsFoundByItsDay() {
    server.must(shard("a", RANDOM));
    Set<String> keys = new TreeSet<>();
    for (int i = 0; i < 300; i++) {
      server.must("{insert: 'a', documents: [{_id: %d, date: 'may'}]}".formatted(i));
      keys.add(key("a", "{_id: " + i + "}"));
    }
    assertThat(keys)
        .hasSizeGreaterThan(30)
        .allMatch(key -> key.matches("may\\.([1-9]|[1-3]\\d|40)"));
    BsonDocument told = explained("a", "{date: 'may'}");
    assertThat(told.getInt32("numValues").getValue()).isEqualTo(40);
    assertThat(told.getArray("partitions").size()).isBetween(2, 16);
    assertThat(count("a", "{date: 'may'}")).isEqualTo(300);
    assertThat(count("a", "{date: 'june'}")).isZero();
  }

  private int count(String name, String filter) {
    return server.must("{count: '%s', query: %s}".formatted(name, filter)).getInt32("n").getValue();
  }

  @Test
  void aComputedSuffixIsFoundByWhatItIsComputedFrom() {
    server.must(shard("a", HASHED));
    for (int i = 0; i < 100; i++) {
      server.must(
          "{insert: 'a', documents: [{_id: %d, date: 'may', vin: 'VIN%d'}]}".formatted(i, i));
    }
    // 32 bits of FNV-1a of "VIN42" are 0x2599bfd8
    assertThat(key("a", "{vin: 'VIN42', date: 'may'}"))
        .isEqualTo("may." + (1 + Integer.remainderUnsigned(0x2599bfd8, 40)));
    assertThat(explained("a", "{vin: 'VIN42', date: 'may'}").getArray("partitions")).hasSize(1);
    assertThat(explained("a", "{date: 'may'}").getInt32("numValues").getValue()).isEqualTo(40);
    assertThat(explained("a", "{vin: 'VIN42'}").containsKey("values")).isFalse();
    assertThat(count("a", "{date: 'may'}")).isEqualTo(100);
  }

  @Test
  void updatesKeepTheKeyTrueOrAreRefused() {
    server.must(shard("a", CONCATENATED));
    server.must("{insert: 'a', documents: [{_id: 1, deviceId: 'a', date: 1, n: 1}]}");
    String one = "{update: 'a', updates: [{q: {_id: 1, deviceId: 'a', date: 1}, u: %s}]}";
    server.must(one.formatted("{$set: {n: 2}}"));
    server.must(one.formatted("{_id: 1, deviceId: 'a', date: 1, n: 3}"));
    assertThat(only("a", "{n: 3}").getString("pk").getValue()).isEqualTo("a-1");
    assertThat(server.answer(one.formatted("{$set: {pk: 'other'}}"))).contains("\"code\": 66");
    assertThat(server.answer(one.formatted("{$unset: {pk: 1}}"))).contains("\"code\": 66");
    // As for any shard key: a document moves only in a retryable write or a transaction.
    assertThat(server.answer(one.formatted("{$set: {date: 2}}"))).contains("\"code\": 20");
    server.must(
        "{update: 'a', updates: [{q: {_id: 1, deviceId: 'a', date: 1}, u: {$set: {date: 2}}}],"
            + " lsid: {id: {$uuid: '00112233-4455-6677-8899-aabbccddeeff'}}, txnNumber:"
            + " {$numberLong: '1'}}");
    assertThat(key("a", "{deviceId: 'a', date: 2}")).isEqualTo("a-2");
    assertThat(
            server.answer("{update: 'a', updates: [{q: {}, u: {$inc: {date: 1}}, multi: true}]}"))
        .contains("Multi-update operations are not allowed");
    assertThat(server.must("{validate: 'a'}").getBoolean("valid").getValue()).isTrue();
  }

  @Test
  void aDocumentMayBringTheKeyThatItWouldGet() {
    server.must(shard("a", RANDOM));
    server.must("{insert: 'a', documents: [{_id: 1, date: 'may', pk: 'may.7'}]}");
    assertThat(key("a", "{_id: 1}")).isEqualTo("may.7");
    for (String key : List.of("'may.41'", "'may.0'", "'may.07'", "'june.7'", "7", "null")) {
      assertThat(
              server.answer("{insert: 'a', documents: [{_id: 2, date: 'may', pk: " + key + "}]}"))
          .contains("The shard key 'pk' is made by the server");
    }
  }

  @Test
  void whatCannotBeAKeyIsRefused() {
    for (String expression :
        List.of(
            "'constant'",
            "'$pk'",
            "'$pk.x'",
            "'$$ROOT'",
            "{$rand: {}}",
            "{$concat: ['$a', {$toString: '$$NOW'}]}",
            "{$concat: [{$randomSuffix: ['$a', 4]}, 'x']}",
            "{$randomSuffix: ['$a', 0]}",
            "{$randomSuffix: ['$a', 1001]}",
            "{$randomSuffix: ['$a', 1.5]}",
            "{$hashSuffix: ['$a', 4]}",
            "{$noSuchOperator: 1}")) {
      assertThat(server.run(shard("a", expression)).getDouble("ok").getValue())
          .as(expression)
          .isZero();
    }
    assertThat(
            server.error(shard("a", CONCATENATED).replace("synthetic: {pk", "synthetic: {other")))
        .contains("The synthetic field 'other' is not the shard key 'pk'");
    server.must(shard("a", CONCATENATED));
    server.must(shard("a", CONCATENATED));
    assertThat(server.error(shard("a", RANDOM))).startsWith("23 AlreadyInitialized");
    assertThat(server.answer("{insert: 'a', documents: [{deviceId: ['x'], date: 1}]}"))
        .contains("The field 'deviceId', which the shard key is made of");
    assertThat(server.answer("{insert: 'a', documents: [{deviceId: 5, date: 1}]}"))
        .contains("$concat only supports strings");
  }

  @Test
  void theDefinitionIsListedAndCreatesTheCollectionAnew() {
    server.must(shard("a", HASHED));
    BsonDocument listed =
        server
            .must("{listCollections: 1}")
            .getDocument("cursor")
            .getArray("firstBatch")
            .get(0)
            .asDocument();
    BsonDocument definition = listed.getDocument("options").getDocument("synthetic");
    assertThat(definition).isEqualTo(BsonDocument.parse("{pk: " + HASHED + "}"));
    server.must("{create: 'b', synthetic: " + definition.toJson() + "}");
    server.must("{insert: 'b', documents: [{_id: 1, date: 'may', vin: 'VIN42'}]}");
    assertThat(key("b", "{date: 'may', vin: 'VIN42'}")).startsWith("may.");
    assertThat(server.must("{listPartitions: 'b'}").getDocument("shardKeyDefinition"))
        .isEqualTo(BsonDocument.parse("{pk: 'hashed'}"));
    assertThat(server.error("{create: 'c', capped: true, size: 4096, synthetic: {pk: '$a'}}"))
        .contains("'synthetic' is not allowed with 'capped'");
  }

  @Test
  void keysAreFoundInTheChildrenOfASplit() {
    server.must(shard("a", HASHED).replace("16", "1"));
    for (int i = 0; i < 50; i++) {
      server.must("{insert: 'a', documents: [{_id: %d, date: 'may', vin: 'V%d'}]}".formatted(i, i));
    }
    server.must("{splitPartition: 'a', partition: 0}");
    for (int i = 0; i < 50; i++) {
      only("a", "{date: 'may', vin: 'V" + i + "'}");
    }
    assertThat(count("a", "{date: 'may'}")).isEqualTo(50);
  }
}
