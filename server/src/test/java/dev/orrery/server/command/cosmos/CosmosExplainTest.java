package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CosmosFixture;
import java.nio.file.Path;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Cosmos DB's form of explain says what the usual one does. */
class CosmosExplainTest {
  @TempDir private Path directory;

  private static BsonDocument explain(CosmosFixture fixture, String command) {
    return fixture.must("{explain: %s, verbosity: {executionStatistics: true}}".formatted(command));
  }

  private static BsonDocument details(BsonDocument reply) {
    return reply.getArray("stages").get(0).asDocument().getDocument("details");
  }

  @Test
  void itTellsPathsPartitionsAndWhatWasRead() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must(
          "{customAction: 'CreateCollection', collection: 'c', shardKey: 'k', offerThroughput:"
              + " 20000}");
      fixture.must("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}]}");
      var documents = new StringBuilder("{_id: 0, k: 0, a: 0}");
      for (int i = 1; i < 20; i++) {
        documents.append(", {_id: %d, k: %d, a: %d, b: %d}".formatted(i, i, i % 2, i % 4));
      }
      fixture.must("{insert: 'c', documents: [%s]}".formatted(documents));
      BsonDocument reply = explain(fixture, "{find: 'c', filter: {a: 1, b: 1}}");
      assertThat(reply.getArray("stages").get(0).asDocument().getInt64("out").getValue())
          .isEqualTo(5);
      assertThat(reply.getDocument("continuation").getBoolean("hasMore").getValue()).isFalse();
      BsonDocument details = details(reply);
      assertThat(details.getArray("pathsIndexed")).isEqualTo(BsonArray.parse("['a']"));
      assertThat(details.getArray("pathsNotIndexed")).isEqualTo(BsonArray.parse("['b']"));
      assertThat(details.getString("collection").getValue()).isEqualTo("c");
      BsonDocument metrics = details.getDocument("queryMetrics");
      assertThat(metrics.getInt64("retrievedDocumentCount").getValue()).isEqualTo(10);
      assertThat(metrics.getDouble("indexHitRatio").getValue()).isEqualTo(0.5);
      long read = 0;
      for (BsonValue shard : details.getArray("shardInformation")) {
        read += shard.asDocument().getInt64("retrievedDocumentCount").getValue();
      }
      assertThat(details.getArray("shardInformation")).hasSize(2);
      assertThat(read).isEqualTo(10);
    }
  }

  @Test
  void pipelinesAndReadsByKeyHaveItToo() {
    try (var fixture = CosmosFixture.cosmos(directory)) {
      fixture.must("{insert: 'c', documents: [{_id: 1, a: 1}, {_id: 2}]}");
      BsonDocument byKey = details(explain(fixture, "{find: 'c', filter: {_id: 1}}"));
      assertThat(byKey.getArray("pathsIndexed")).isEqualTo(BsonArray.parse("['_id']"));
      String pipeline = "{aggregate: 'c', pipeline: [{$match: {a: 1}}, {$count: 'n'}], cursor: {}}";
      assertThat(details(explain(fixture, pipeline)).getArray("pathsNotIndexed"))
          .isEqualTo(BsonArray.parse("['a']"));
      assertThat(fixture.answer("{explain: {find: 'c'}, verbosity: 'executionStatistics'}"))
          .contains("queryMetrics");
    }
  }
}
