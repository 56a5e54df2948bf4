package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CosmosFixture;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShardCollectionCommandTest {
  @TempDir Path directory;

  @Test
  void aMissingCollectionIsCreatedWithItsKeyAndCosmosAnswer() {
    try (var fixture = CosmosFixture.extended(directory)) {
      assertThat(fixture.answer("{shardCollection: 'shop.a', key: {region: 'hashed'}}"))
          .isEqualTo(
              "{\"_t\": \"ShardCollectionResponse\", \"ok\": 1.0,"
                  + " \"collectionsharded\": \"shop.a\"}");
      fixture.must("{shardCollection: 'shop.b', key: {'address.zip': 'hashed'}, $db: 'admin'}");
      assertThat(fixture.must("{listPartitions: 'b'}").get("shardKeyDefinition"))
          .hasToString("{\"address.zip\": \"hashed\"}");
      fixture.must("{enableSharding: 'shop', $db: 'admin'}");
    }
  }

  @Test
  void anEmptyCollectionBecomesPartitionedAndAFilledOneIsRefused() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{insert: 'full', documents: [{_id: 1}]}");
      assertThat(fixture.error("{shardCollection: 'shop.full', key: {a: 'hashed'}}"))
          .startsWith("20 IllegalOperation: cannot shard shop.full, which contains documents");
      fixture.must("{insert: 'empty', documents: [{_id: 1}]}");
      fixture.must("{delete: 'empty', deletes: [{q: {}, limit: 0}]}");
      fixture.must("{shardCollection: 'shop.empty', key: {a: 'hashed'}, numInitialChunks: 4}");
      assertThat(fixture.partitions("empty")).hasSize(4);
    }
  }

  @Test
  void theKeyIsFixed() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{shardCollection: 'shop.c', key: {a: 'hashed'}}");
      fixture.must("{shardCollection: 'shop.c', key: {a: 'hashed'}}");
      assertThat(fixture.error("{shardCollection: 'shop.c', key: {b: 'hashed'}}"))
          .isEqualTo(
              "23 AlreadyInitialized: sharding already enabled for collection shop.c with the"
                  + " shard key { a: \"hashed\" }");
    }
  }

  @Test
  void onlyTheHashOfOneFieldIsAKey() {
    try (var fixture = CosmosFixture.extended(directory)) {
      assertThat(fixture.error("{shardCollection: 'shop.c', key: {a: 1}}"))
          .startsWith("2 BadValue: Shard key { a: 1 } is not supported.");
      assertThat(fixture.error("{shardCollection: 'shop.c', key: {a: 'hashed', b: 1}}"))
          .startsWith("2 BadValue");
      assertThat(fixture.error("{shardCollection: 'shop.c', key: {}}")).startsWith("2 BadValue");
      assertThat(fixture.error("{shardCollection: 'shop.c', key: {'a..b': 'hashed'}}"))
          .startsWith("2 BadValue");
      assertThat(fixture.error("{shardCollection: 'shop.c', key: {a: 'hashed'}, unique: true}"))
          .startsWith("72 InvalidOptions: Hashed shard keys cannot be declared unique.");
      assertThat(fixture.error("{shardCollection: 'shop', key: {a: 'hashed'}}"))
          .startsWith("73 InvalidNamespace");
      assertThat(fixture.error("{shardCollection: 'other.c', key: {a: 'hashed'}}"))
          .startsWith("13 Unauthorized");
    }
  }

  @Test
  void aDocumentWithoutTheKeyIsStoredAsMongoDbDoesOrRefusedAsCosmosDoes() {
    String insert = "{insert: 'c', documents: [{_id: 1}]}";
    try (var fixture = CosmosFixture.extended(directory.resolve("extended"))) {
      fixture.must("{shardCollection: 'shop.c', key: {'a.b': 'hashed'}}");
      fixture.must(insert);
      assertThat(fixture.run("{insert: 'c', documents: [{_id: 2, a: {b: [1]}}]}").toJson())
          .contains("Shard key cannot contain array values or array descendants.");
    }
    try (var fixture = CosmosFixture.cosmos(directory.resolve("cosmos"))) {
      fixture.must("{shardCollection: 'shop.c', key: {'a.b': 'hashed'}}");
      assertThat(fixture.run(insert).getArray("writeErrors").get(0).asDocument().toJson())
          .isEqualTo(
              "{\"index\": 0, \"code\": 61,"
                  + " \"errmsg\": \"document does not contain shard key at 'a.b'\"}");
    }
  }
}
