package dev.orrery.server.command.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.DataFixture;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a collection's options, indexes and views mean for the commands on its documents. */
class CollectionRulesTest {
  private DataFixture data;

  @BeforeEach
  void open(@TempDir Path directory) {
    data = new DataFixture(directory);
  }

  @AfterEach
  void close() {
    data.close();
  }

  private String inserted(String document) {
    BsonDocument reply = data.run("{insert: 'c', documents: [" + document + "]}");
    return reply.containsKey("writeErrors")
        ? String.valueOf(
            reply.getArray("writeErrors").get(0).asDocument().getInt32("code").getValue())
        : "ok";
  }

  @Test
  void aChangedValidatorCountsAtOnce() {
    data.run("{create: 'c', validator: {a: 1}}");
    assertThat(inserted("{_id: 1, a: 2}")).isEqualTo("121");
    assertThat(inserted("{_id: 1, a: 1}")).isEqualTo("ok");
    data.run("{collMod: 'c', validator: {a: 2}}");
    assertThat(inserted("{_id: 2, a: 1}")).isEqualTo("121");
    assertThat(inserted("{_id: 2, a: 2}")).isEqualTo("ok");
    data.run("{collMod: 'c', validationAction: 'warn'}");
    assertThat(inserted("{_id: 3, a: 1}")).isEqualTo("ok");
    data.run("{drop: 'c'}");
    data.run("{create: 'c', validator: {a: 3}}");
    assertThat(inserted("{_id: 1, a: 1}")).isEqualTo("121");
  }

  @Test
  void anIndexThatIsPreparedTakesNoNewDuplicates() {
    data.run("{insert: 'c', documents: [{_id: 1, a: 1}, {_id: 2, a: 1}, {_id: 3, a: 3}]}");
    data.run("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}]}");
    data.run("{collMod: 'c', index: {name: 'a_1', prepareUnique: true}}");
    assertThat(inserted("{_id: 4, a: 1}")).isEqualTo("11000");
    assertThat(inserted("{_id: 4, a: 4}, {_id: 5, a: 4}")).isEqualTo("11000");
    assertThat(inserted("{_id: 6, a: 6}, {_id: 7, a: 7}")).isEqualTo("ok");
    assertThat(data.error("{findAndModify: 'c', query: {_id: 3}, update: {$set: {a: 1}}}"))
        .contains("E11000 duplicate key error collection: test.c index: a_1 dup key: { a: 1 }");
    assertThat(data.run("{update: 'c', updates: [{q: {_id: 2}, u: {$set: {b: 1}}}]}").get("n"))
        .isEqualTo(BsonDocument.parse("{n: 1}").get("n"));
    data.run("{collMod: 'c', index: {name: 'a_1', prepareUnique: false}}");
    assertThat(inserted("{_id: 8, a: 1}")).isEqualTo("ok");
  }

  @Test
  void theTimeOfAFindIsSharedByItsBatches() {
    data.run("{insert: 'c', documents: [{_id: 1}, {_id: 2}, {_id: 3}]}");
    BsonDocument first = data.run("{find: 'c', batchSize: 1, maxTimeMS: 1000}");
    String id = "{$numberLong: '" + first.getDocument("cursor").getInt64("id").getValue() + "'}";
    String more = "{getMore: " + id + ", collection: 'c', batchSize: 1}";
    data.commands.nanos.addAndGet(TimeUnit.SECONDS.toNanos(60)); // idle time does not count
    assertThat(data.run(more).getDocument("cursor").getArray("nextBatch")).hasSize(1);
    BsonDocument other = data.run("{find: 'c', batchSize: 1}");
    assertThat(other.getDocument("cursor").getInt64("id").getValue()).isNotZero();
    data.run(
        "{killCursors: 'c', cursors: ["
            + id
            + ", {$numberLong: '"
            + other.getDocument("cursor").getInt64("id").getValue()
            + "'}]}");
  }

  @Test
  void readsOfViewsAreExplainedAsAggregations() {
    data.run("{insert: 'c', documents: [{_id: 1, a: 1}]}");
    data.run("{create: 'v', viewOn: 'c', pipeline: [{$match: {a: 1}}]}");
    for (String read :
        new String[] {"{find: 'v', filter: {b: 1}}", "{count: 'v'}", "{distinct: 'v', key: 'a'}"}) {
      BsonDocument reply = data.run("{explain: " + read + ", verbosity: 'queryPlanner'}");
      assertThat(reply.getDouble("ok").getValue()).isEqualTo(1);
      assertThat(reply.toJson()).contains("test.c");
    }
    assertThat(data.error("{explain: {delete: 'v', deletes: [{q: {}, limit: 1}]}}"))
        .isEqualTo("166 CommandNotSupportedOnView: Namespace test.v is a view, not a collection");
  }

  @Test
  void aMemberOfAReplicaSetBuildsNoIndexesAnew() {
    data.run("{insert: 'c', documents: [{_id: 1}]}");
    assertThat(data.error("{reIndex: 'c'}"))
        .isEqualTo(
            "20 IllegalOperation: reIndex is only allowed on a standalone mongod instance."
                + " Cannot reIndex 'test.c' while replication is active");
  }
}
