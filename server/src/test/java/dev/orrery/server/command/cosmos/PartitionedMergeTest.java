package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.DataFixture;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** $merge and $out into collections that have a partition key. */
final class PartitionedMergeTest {
  @TempDir Path directory;
  private DataFixture data;

  @BeforeEach
  void open() {
    data = new DataFixture(directory);
    partitioned("source", "k");
    partitioned("target", "k");
    data.run(
        "{insert: 'source', documents: [{_id: 1, k: 'A', v: 1}, {_id: 1, k: 'B', v: 2},"
            + " {_id: 1, k: 'C', v: 3}, {_id: 2, k: 'A', v: 4}]}");
  }

  @AfterEach
  void close() {
    for (var collection : data.engine.collections()) {
      assertThat(data.engine.validate(collection)).isEmpty();
    }
    data.close();
  }

  private void partitioned(String name, String key, String... indexes) {
    var specs = new ArrayList<IndexSpec>();
    specs.add(IndexSpec.idIndex());
    for (String index : indexes) {
      specs.add(IndexSpec.of(BsonDocument.parse(index)));
    }
    data.engine.create(
        new Namespace("test", name),
        new CollectionInfo.Creation(new BsonDocument(), key, specs, 4, new BsonDocument()));
  }

  private void aggregate(String... stages) {
    assertThat(data.run(command(stages)).containsKey("errmsg")).isFalse();
  }

  private String refused(String... stages) {
    return data.error(command(stages))
        .replace("PlanExecutor error during aggregation :: caused by :: ", "");
  }

  private static String command(String... stages) {
    return "{aggregate: 'source', pipeline: [" + String.join(", ", stages) + "], cursor: {}}";
  }

  private List<String> contents(String collection) {
    return data
        .run("{find: '" + collection + "', sort: {_id: 1, k: 1}, batchSize: 1000}")
        .getDocument("cursor")
        .getArray("firstBatch")
        .stream()
        .map(one -> one.asDocument().toJson())
        .toList();
  }

  @Test
  void allDocumentsAreCopiedByMergeAndByOut() {
    aggregate("{$merge: 'target'}");
    assertThat(contents("target")).hasSize(4).isEqualTo(contents("source"));
    aggregate("{$merge: {into: 'target', on: ['_id', 'k'], whenMatched: 'replace'}}");
    assertThat(contents("target")).isEqualTo(contents("source"));
    aggregate("{$set: {w: 1}}", "{$out: 'target'}");
    assertThat(contents("target")).hasSize(4).allMatch(one -> one.contains("\"w\": 1"));
    assertThat(data.engine.find(new Namespace("test", "target")).info().partitionKey())
        .isEqualTo("k");
    assertThat(data.run("{find: 'target', filter: {k: 'B'}}").toJson()).contains("\"v\": 2");
  }

  @Test
  void fieldsMustBeUniqueOverAllPartitions() {
    String cannot =
        "51183 Location51183: Cannot find index to verify that join fields will be unique";
    assertThat(refused("{$merge: {into: 'target', on: '_id'}}")).isEqualTo(cannot);
    assertThat(refused("{$merge: {into: 'target', on: 'k'}}")).isEqualTo(cannot);
    partitioned("mails", "k", "{v: 2, key: {v: 1}, name: 'v_1', unique: true}");
    assertThat(refused("{$merge: {into: 'mails', on: 'v'}}")).isEqualTo(cannot);
    aggregate("{$merge: {into: 'mails', on: ['k', 'v']}}");
    aggregate("{$set: {w: 1}}", "{$merge: {into: 'mails', on: ['v', 'k']}}");
    assertThat(contents("mails")).hasSize(4).allMatch(one -> one.contains("\"w\": 1"));
  }

  @Test
  void theIdAloneIsEnoughWhereItIsThePartitionKey() {
    partitioned("byId", "_id");
    aggregate("{$match: {k: 'A'}}", "{$merge: {into: 'byId', on: '_id'}}");
    aggregate("{$match: {k: 'A'}}", "{$set: {w: 1}}", "{$merge: 'byId'}");
    assertThat(contents("byId")).hasSize(2).allMatch(one -> one.contains("\"w\": 1"));
  }

  @Test
  void eachModeFindsTheDocumentOfItsPartition() {
    aggregate("{$merge: 'target'}");
    aggregate("{$set: {v: -1}}", "{$merge: {into: 'target', whenMatched: 'keepExisting'}}");
    assertThat(contents("target")).isEqualTo(contents("source"));
    aggregate("{$project: {k: 1, w: '$v'}}", "{$merge: {into: 'target', whenMatched: 'merge'}}");
    assertThat(contents("target"))
        .contains("{\"_id\": 1, \"k\": \"B\", \"v\": 2, \"w\": 2}")
        .hasSize(4);
    aggregate(
        "{$merge: {into: 'target', let: {n: '$v'},"
            + " whenMatched: [{$set: {v: {$add: ['$v', '$$n']}}}, {$unset: 'w'}]}}");
    assertThat(contents("target")).contains("{\"_id\": 1, \"k\": \"C\", \"v\": 6}").hasSize(4);
    aggregate("{$merge: {into: 'target', whenMatched: 'replace'}}");
    assertThat(contents("target")).isEqualTo(contents("source"));
    assertThat(refused("{$merge: {into: 'target', whenMatched: 'fail'}}"))
        .startsWith("11000 DuplicateKey");
    partitioned("other", "k");
    assertThat(refused("{$merge: {into: 'other', whenNotMatched: 'fail'}}")).startsWith("13113");
    aggregate("{$merge: {into: 'other', whenNotMatched: 'discard'}}");
    assertThat(contents("other")).isEmpty();
  }

  @Test
  void aPipelineCannotMoveADocumentToAnotherKey() {
    aggregate("{$merge: 'target'}");
    String changed =
        "66 ImmutableField: $merge failed to update the matching document, did you attempt to"
            + " modify the _id or the shard key? :: caused by :: After applying the update, the"
            + " (immutable) field 'k' was found to have been ";
    assertThat(refused("{$match: {v: 2}}", piped("{$set: {k: 'Z'}}")))
        .isEqualTo(changed + "altered to k: \"Z\"");
    assertThat(refused("{$match: {v: 2}}", piped("{$unset: 'k'}")))
        .isEqualTo(changed + "removed --{ _id: 1, v: 2 }");
    assertThat(refused("{$match: {v: 2}}", piped("{$set: {k: ['B']}}")))
        .isEqualTo(
            "54 NotSingleValueField: After applying the update to the document, the field 'k' was"
                + " found to be an array or array descendant.");
    assertThat(contents("target")).isEqualTo(contents("source"));
  }

  private static String piped(String stage) {
    return "{$merge: {into: 'target', whenMatched: [" + stage + "]}}";
  }

  @Test
  void aKeyMustBeThereAndNoArray() {
    String missing =
        "51132 Location51132: $merge write error: 'on' field cannot be missing, null, undefined or"
            + " an array";
    assertThat(refused("{$unset: 'k'}", "{$merge: 'target'}")).isEqualTo(missing);
    assertThat(refused("{$set: {k: null}}", "{$merge: 'target'}")).isEqualTo(missing);
    assertThat(refused("{$set: {k: [1]}}", "{$merge: 'target'}")).isEqualTo(missing);
    assertThat(refused("{$unset: '_id'}", "{$set: {k: [1]}}", "{$merge: 'target'}"))
        .isEqualTo(missing);
    partitioned("nested", "a.b");
    assertThat(refused("{$set: {a: [{b: 1}]}}", "{$merge: 'nested'}")).isEqualTo(missing);
    String array =
        "61 ShardKeyNotFound: Shard key cannot contain array values or array descendants.";
    assertThat(refused("{$set: {a: [{b: 1}]}}", "{$out: 'nested'}")).isEqualTo(array);
    assertThat(refused("{$set: {k: [1]}}", "{$out: 'target'}")).isEqualTo(array);
    assertThat(contents("target")).isEmpty();
    aggregate("{$unset: '_id'}", "{$merge: 'target'}");
    assertThat(contents("target")).hasSize(4);
  }

  @Test
  void aPartitionedCollectionIsNotMadeCapped() {
    assertThat(data.error("{convertToCapped: 'source', size: 4096}"))
        .isEqualTo("20 IllegalOperation: You can't convertToCapped a sharded collection");
    assertThat(
            data.error("{cloneCollectionAsCapped: 'source', toCollection: 'capped', size: 100000}"))
        .isEqualTo("20 IllegalOperation: You can't cloneCollectionAsCapped a sharded collection");
  }
}
