package dev.orrery.server.command.data;

import static dev.orrery.server.command.CommandFixture.canonical;
import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.DataFixture;
import dev.orrery.server.command.collection.NewDocument;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InsertCommandTest {
  private DataFixture data;

  @BeforeEach
  void open(@TempDir Path directory) {
    data = new DataFixture(directory);
  }

  @AfterEach
  void close() {
    data.close();
  }

  @Test
  void idComesFirstOrIsMade() {
    data.run("{insert: 'c', documents: [{a: 1, _id: 5}]}");
    assertThat(data.documents("c")).isEqualTo("[{\"_id\": 5, \"a\": 1}]");
    data.run("{insert: 'd', documents: [{a: 1}]}");
    BsonDocument made =
        data.run("{find: 'd'}").getDocument("cursor").getArray("firstBatch").get(0).asDocument();
    assertThat(made.getFirstKey()).isEqualTo("_id");
    assertThat(made.isObjectId("_id")).isTrue();
  }

  @Test
  void orderedBatchStopsAtTheFirstFailure() {
    assertThat(data.answer("{insert: 'c', documents: [{_id: 1}, {_id: 1.0}, {_id: 2}]}"))
        .isEqualTo(
            canonical(
                """
                {n: 1, writeErrors: [{index: 1, code: 11000, keyPattern: {_id: 1},
                 keyValue: {_id: 1.0}, errmsg: 'E11000 duplicate key error collection: test.c\
                 index: _id_ dup key: { _id: 1.0 }'}], ok: 1.0}
                """));
    assertThat(data.documents("c")).isEqualTo("[{\"_id\": 1}]");
  }

  @Test
  void unorderedBatchGoesOnAndListsFailuresInOrder() {
    BsonDocument reply =
        data.run(
            "{insert: 'c', ordered: false,"
                + " documents: [{_id: 1}, {_id: 1}, {_id: [1]}, {_id: 2}, {_id: 2}]}");
    assertThat(reply.getInt32("n").getValue()).isEqualTo(2);
    assertThat(reply.getArray("writeErrors").stream().map(e -> e.asDocument().get("index")))
        .extracting(index -> index.asInt32().getValue())
        .containsExactly(1, 2, 4);
  }

  @Test
  void aBadDocumentLeavesTheOnesBeforeItInAnOrderedBatch() {
    assertThat(data.run("{insert: 'c', documents: [{_id: 1}, {_id: /x/}, {_id: 3}]}").toJson())
        .contains("The '_id' value cannot be of type regex");
    assertThat(data.documents("c")).isEqualTo("[{\"_id\": 1}]");
  }

  @Test
  void uniqueIndexNamesItsKeyWithTheTypesOfTheDocument() {
    data.create("c", "{}", null, "{v: 2, key: {a: 1, b: -1}, name: 'ab', unique: true}");
    data.run("{insert: 'c', documents: [{_id: 1, a: 1, b: 'x'}]}");
    assertThat(data.run("{insert: 'c', documents: [{_id: 2, a: 1.0, b: 'x'}]}").toJson())
        .contains("index: ab dup key: { a: 1.0, b: \\\"x\\\" }")
        .contains("\"keyPattern\": {\"a\": 1, \"b\": -1}");
  }

  @Test
  void moreDocumentsThanOneCommitTakesAllArrive() {
    String documents =
        IntStream.range(0, 2500).mapToObj(i -> "{_id: " + i + "}").collect(Collectors.joining(","));
    assertThat(data.run("{insert: 'c', documents: [" + documents + "]}").getInt32("n").getValue())
        .isEqualTo(2500);
    assertThat(data.answer("{count: 'c'}")).isEqualTo(canonical("{n: 2500, ok: 1.0}"));
  }

  @Test
  void emptyTimestampsOfTheTopLevelBecomeTheTime() {
    data.run("{insert: 'c', documents: [{_id: 1, t: Timestamp(0, 0), n: {t: Timestamp(0, 0)}}]}");
    assertThat(data.documents("c"))
        .doesNotContain("\"t\": {\"$timestamp\": {\"t\": 0, \"i\": 0}}, \"n\"")
        .contains("\"n\": {\"t\": {\"$timestamp\": {\"t\": 0, \"i\": 0}}}");
  }

  @Test
  void nestingHasALimit() {
    String deep =
        "{x: ".repeat(NewDocument.DEPTH_MAX - 1) + "1" + "}".repeat(NewDocument.DEPTH_MAX - 1);
    assertThat(data.run("{insert: 'c', documents: [" + deep + "]}").getInt32("n").getValue())
        .isEqualTo(1);
    assertThat(data.run("{insert: 'c', documents: [{x: {x: " + deep + "}}]}").toJson())
        .contains("exceeds 180 levels of nesting");
  }

  @Test
  void aBatchHasAtLeastOneDocument() {
    assertThat(data.error("{insert: 'c', documents: []}"))
        .isEqualTo(
            "16 InvalidLength: Write batch sizes must be between 1 and 100000. Got 0 operations.");
  }

  @Test
  void cappedCollectionPushesOutTheOldest() {
    data.create(
        "c", "{capped: true, size: {$numberLong: '100000'}, max: {$numberLong: '3'}}", null);
    data.run("{insert: 'c', documents: [{_id: 1}, {_id: 2}, {_id: 3}, {_id: 4}, {_id: 5}]}");
    assertThat(data.documents("c")).isEqualTo("[{\"_id\": 3}, {\"_id\": 4}, {\"_id\": 5}]");
  }

  @Test
  void systemNamesAndViewsAreRefused() {
    assertThat(data.error("{insert: 'system.foo', documents: [{}]}"))
        .isEqualTo("73 InvalidNamespace: Invalid system namespace: test.system.foo");
  }

  @Test
  void validatorRefusesWithReasons() {
    data.create("c", "{validator: {a: {$gt: 5}, b: {$type: 'string'}}}", null);
    assertThat(data.run("{insert: 'c', documents: [{_id: 1, a: 6, b: [1, 'x', 2]}]}").toJson())
        .isEqualTo("{\"n\": 1, \"ok\": 1.0}");
    BsonDocument reply = data.run("{insert: 'c', documents: [{_id: 2, a: 3, b: 7}]}");
    BsonDocument failure = reply.getArray("writeErrors").get(0).asDocument();
    assertThat(failure.getDocument("errInfo"))
        .isEqualTo(
            BsonDocument.parse(
                """
                {failingDocumentId: 2, details: {operatorName: '$and', clausesNotSatisfied: [
                  {index: {$numberLong: '0'}, details: {operatorName: '$gt',
                    specifiedAs: {a: {$gt: 5}},
                    reason: 'comparison failed', consideredValue: 3}},
                  {index: {$numberLong: '1'}, details: {operatorName: '$type',
                    specifiedAs: {b: {$type: 'string'}},
                    reason: 'type did not match', consideredValue: 7, consideredType: 'int'}}]}}
                """));
  }
}
