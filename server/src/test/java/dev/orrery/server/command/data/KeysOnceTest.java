package dev.orrery.server.command.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CosmosFixture;
import dev.orrery.server.store.TestEngines;
import dev.orrery.server.throughput.Provisioning;
import java.nio.file.Path;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One request works out a partition key once: a new document's when it comes ({@code keyOf}), a
 * filter's for admission and plan together ({@code partitionOf}). Each of the two hashes, and
 * {@code partitionKeyOf} looks for the key in a document again.
 */
final class KeysOnceTest {
  @TempDir Path directory;
  private final CountedCalls calls = new CountedCalls();
  private CosmosFixture server;

  @BeforeEach
  void open() {
    // Every partition has a budget, so that every request is admitted.
    var provisioning = new Provisioning(2000, false);
    server = new CosmosFixture(directory, provisioning, TestEngines.options(), calls::before);
    server.must(
        "{customAction: 'CreateCollection', collection: 'a', shardKey: 'k.x',"
            + " offerThroughput: 8000}");
    assertThat(server.partitions("a")).hasSize(4);
    server.must("{insert: 'a', documents: [{_id: 1, k: {x: 1}}, {_id: 2, k: {x: 2}}]}");
  }

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void ofEachInsertedDocument() {
    calls.reset();
    server.must("{insert: 'a', documents: [{_id: 3, k: {x: 3}}, {_id: 4, k: {x: 4}}, {_id: 5}]}");
    assertThat(calls.of("keyOf")).isEqualTo(3);
    assertThat(calls.of("partitionKeyOf")).isZero();
    assertThat(calls.of("partitionOf")).isZero();
    assertThat(calls.of("ownerOf")).isEqualTo(3); // admission, by the key that is known
  }

  @Test
  void ofAnUpsertedDocument() {
    calls.reset();
    server.must(
        "{update: 'a', updates: [{q: {_id: 7, 'k.x': 7}, u: {$set: {y: 1}}, upsert: true}]}");
    assertThat(calls.of("keyOf")).isEqualTo(1);
    assertThat(calls.of("partitionKeyOf")).isZero();
    assertThat(calls.of("partitionOf")).isEqualTo(1);
  }

  @Test
  void ofAFilter() {
    for (String command :
        List.of(
            "{find: 'a', filter: {_id: 1, 'k.x': 1}}",
            "{find: 'a', filter: {_id: 1, 'k.x': {$eq: 1}}}",
            "{find: 'a', filter: {'k.x': 1}}",
            "{find: 'a', filter: {'k.x': 1}, sort: {y: 1}}",
            "{count: 'a', query: {'k.x': 1}}",
            "{distinct: 'a', key: '_id', query: {'k.x': 1}}",
            "{aggregate: 'a', pipeline: [{$match: {'k.x': 1}}], cursor: {}}",
            "{aggregate: 'a', pipeline: [{$match: {_id: 1, 'k.x': 1}}], cursor: {}}",
            "{aggregate: 'a', pipeline: [{$match: {'k.x': 1}}, {$group: {_id: '$y'}}], cursor: {}}",
            "{findAndModify: 'a', query: {_id: 8, 'k.x': 8}, remove: true}",
            "{update: 'a', updates: [{q: {'k.x': 8}, u: {$set: {y: 1}}}]}")) {
      calls.reset();
      BsonDocument reply = server.must(command);
      assertThat(calls.of("partitionOf")).as(command + " " + reply).isEqualTo(1);
      assertThat(calls.of("partitionKeyOf")).as(command).isZero();
    }
  }

  @Test
  void ofEachValueOfAFilter() {
    calls.reset();
    server.must("{find: 'a', filter: {_id: {$in: [1, 2, 3]}, 'k.x': {$in: [1, 2, null]}}}");
    assertThat(calls.of("partitionOf")).isEqualTo(4); // null and missing lie apart
  }
}
