package dev.orrery.server.command.diagnostic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CosmosFixture;
import dev.orrery.server.command.LogComponents;
import java.nio.file.Path;
import java.util.List;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that shells and tools send, beside those on documents. */
class ToolCommandsTest {
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

  @Test
  void aWriteConcernThatIsNotMetIsToldToWhoAskedForIt() {
    server.must("{create: 'c'}");
    assertThat(server.run("{collMod: 'c', writeConcern: {w: 2}}").keySet())
        .contains("writeConcernError");
    assertThat(server.answer("{collMod: 'c'}")).isEqualTo("{\"ok\": 1.0}");
  }

  @Test
  void whatCannotBeExplainedIsNoUnknownCommand() {
    assertThat(server.error("{explain: {ping: 1}}"))
        .isEqualTo("20 IllegalOperation: Cannot explain cmd: ping");
    assertThat(server.error("{explain: {insert: 'c', documents: [{}]}}"))
        .isEqualTo("20 IllegalOperation: Cannot explain cmd: insert");
    assertThat(server.error("{explain: {foo: 1}}"))
        .isEqualTo("59 CommandNotFound: Explain failed due to unknown command: foo");
  }

  @Test
  void aDigestIsThatOfTheDocumentsInTheOrderOfTheirIds() {
    server.must("{insert: 'a', documents: [{_id: 2, v: 'x'}, {_id: 1, v: 'y'}]}");
    server.must("{insert: 'b', documents: [{_id: 1, v: 'y'}, {_id: 2, v: 'x'}]}");
    server.must("{shardCollection: 'shop.p', key: {_id: 'hashed'}, numInitialChunks: 3}");
    server.must("{insert: 'p', documents: [{_id: 2, v: 'x'}, {_id: 1, v: 'y'}]}");
    BsonDocument reply = server.must("{dbHash: 1}");
    BsonDocument digests = reply.getDocument("collections");
    assertThat(digests.keySet()).containsExactly("a", "b", "p");
    // of the bytes of {_id: 1, v: "y"} and {_id: 2, v: "x"}
    assertThat(digests.getString("a").getValue()).isEqualTo("8f76291269e09ec003edede9e0a0eb8d");
    assertThat(digests.getString("b")).isEqualTo(digests.getString("a"));
    assertThat(digests.getString("p")).isEqualTo(digests.getString("a"));
    assertThat(server.must("{dbHash: 1, collections: ['b']}").getDocument("collections").keySet())
        .containsExactly("b");
    server.must("{update: 'b', updates: [{q: {_id: 1}, u: {$set: {v: 'z'}}}]}");
    assertThat(server.must("{dbHash: 1}").getDocument("collections").getString("b"))
        .isNotEqualTo(digests.getString("b"));
  }

  @Test
  void defaultConcernsOutliveTheServer() {
    assertThat(server.error("{setDefaultRWConcern: 1, $db: 'admin'}")).startsWith("2 BadValue");
    assertThat(server.error("{setDefaultRWConcern: 1, defaultWriteConcern: {w: 0}, $db: 'admin'}"))
        .startsWith("2 BadValue: Unacknowledged write concern");
    assertThat(server.error("{setDefaultRWConcern: 1, defaultWriteConcern: {w: 2}, $db: 'admin'}"))
        .startsWith("100 UnsatisfiableWriteConcern");
    assertThat(
            server.error(
                "{setDefaultRWConcern: 1, defaultReadConcern: {level: 'snapshot'}, $db: 'admin'}"))
        .isEqualTo("2 BadValue: level: 'snapshot' is not suitable for the default read concern");
    server.must(
        "{setDefaultRWConcern: 1, defaultWriteConcern: {w: 1}, defaultReadConcern: {level:"
            + " 'majority'}, $db: 'admin'}");
    server.close();
    server = CosmosFixture.extended(directory);
    BsonDocument reply = server.must("{getDefaultRWConcern: 1, $db: 'admin'}");
    assertThat(reply.getDocument("defaultWriteConcern").toJson())
        .isEqualTo("{\"w\": 1, \"wtimeout\": 0}");
    assertThat(reply.getDocument("defaultReadConcern").toJson())
        .isEqualTo("{\"level\": \"majority\"}");
    assertThat(reply.getString("defaultReadConcernSource").getValue()).isEqualTo("global");
    assertThat(server.error("{setDefaultRWConcern: 1, defaultWriteConcern: {}, $db: 'admin'}"))
        .startsWith("20 IllegalOperation");
  }

  @Test
  void theServerIsTheOneShardAndHoldsAll() {
    server.must("{shardCollection: 'shop.orders', key: {k: 'hashed'}}");
    server.must("{insert: 'orders', documents: [{_id: 1, k: 1}, {_id: 2, k: 2}]}");
    assertThat(server.must("{listShards: 1, $db: 'admin'}").getArray("shards")).hasSize(1);
    assertThat(server.must("{balancerStatus: 1, $db: 'admin'}").getBoolean("inBalancerRound"))
        .isEqualTo(BsonBoolean.FALSE);
    assertThat(
            server.answer(
                "{aggregate: 1, pipeline: [{$shardedDataDistribution: {}}], cursor: {}, $db:"
                    + " 'admin'}"))
        .isEqualTo(
            BsonDocument.parse(
                    "{cursor: {firstBatch: [{ns: 'shop.orders', shards: [{shardName: 'orrery',"
                        + " numOrphanedDocs: 0, numOwnedDocuments: 2, ownedSizeBytes: 42,"
                        + " orphanedSizeBytes: 0}]}], id: {$numberLong: '0'}, ns:"
                        + " 'admin.$cmd.aggregate'}, ok: 1.0}")
                .toJson());
    assertThat(
            server.error(
                "{aggregate: 'c', pipeline: [{$shardedDataDistribution: {}}], cursor: {}}"))
        .startsWith("73 InvalidNamespace");
  }

  @Test
  void partsOfTheServerTellMoreWhenAsked() {
    String get = "{getParameter: 1, logComponentVerbosity: 1, $db: 'admin'}";
    String set = "{setParameter: 1, logComponentVerbosity: %s, $db: 'admin'}";
    assertThat(verbosity(server.must(get), "command")).isEqualTo(-1);
    server.must(set.formatted("{command: {verbosity: 2}, storage: {journal: {verbosity: 1}}}"));
    BsonDocument reply = server.must(get);
    assertThat(verbosity(reply, "command")).isEqualTo(2);
    assertThat(verbosity(reply, "storage")).isEqualTo(-1);
    BsonDocument setting = reply.getDocument("logComponentVerbosity");
    assertThat(LogComponents.of(setting, "command")).isEqualTo(2);
    assertThat(LogComponents.of(setting, "network")).isZero();
    for (String wrong : List.of("{foo: {verbosity: 1}}", "{command: {verbosity: 9}}", "1")) {
      assertThat(server.error(set.formatted(wrong))).startsWith("2 BadValue");
    }
    assertThat(server.must(get)).isEqualTo(reply);
  }

  private static int verbosity(BsonDocument reply, String component) {
    return reply
        .getDocument("logComponentVerbosity")
        .getDocument(component)
        .getInt32("verbosity")
        .getValue();
  }

  @Test
  void bucketsOfATimeSeriesAreGivenInOneWay() {
    assertThat(
            server.error("{create: 't', timeseries: {timeField: 't', bucketMaxSpanSeconds: 100}}"))
        .startsWith("72 InvalidOptions");
    assertThat(
            server.error(
                "{create: 't', timeseries: {timeField: 't', granularity: 'hours',"
                    + " bucketMaxSpanSeconds: 100}}"))
        .startsWith("72 InvalidOptions");
    server.must(
        "{create: 't', timeseries: {timeField: 't', bucketMaxSpanSeconds: 100,"
            + " bucketRoundingSeconds: 100}}");
    assertThat(
            server.error(
                "{listIndexes: 't', includeBuildUUIDs: true, includeIndexBuildInfo: true}"))
        .startsWith("72 InvalidOptions");
  }
}
