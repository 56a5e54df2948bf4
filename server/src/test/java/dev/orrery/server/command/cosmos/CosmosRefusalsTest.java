package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CosmosFixture;
import java.nio.file.Path;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the profile cosmos refuses about partition keys and unique indexes. */
class CosmosRefusalsTest {
  @TempDir Path directory;

  @Test
  void aChangeOfOneDocumentMustNameItsKeyAndCannotChangeIt() {
    try (var fixture = CosmosFixture.cosmos(directory)) {
      fixture.must("{shardCollection: 'shop.a', key: {k: 'hashed'}}");
      fixture.must("{insert: 'a', documents: [{_id: 1, k: 'x'}]}");
      assertThat(writeError(fixture.run("{delete: 'a', deletes: [{q: {_id: 1}, limit: 1}]}")))
          .isEqualTo("61 query in command must target a single shard key");
      assertThat(
              writeError(fixture.run("{update: 'a', updates: [{q: {_id: 1}, u: {$set: {x: 1}}}]}")))
          .isEqualTo("61 query in command must target a single shard key");
      assertThat(
              writeError(
                  fixture.run(
                      "{update: 'a', updates: [{q: {_id: 1, k: 'x'}, u: {$set: {k: 'y'}}}]}")))
          .isEqualTo(
              "66 Performing an update on the path 'k' would modify the immutable field 'k'");
      fixture.must("{update: 'a', updates: [{q: {x: 1}, u: {$set: {y: 1}}, multi: true}]}");
      fixture.must("{update: 'a', updates: [{q: {_id: 1, k: 'x'}, u: {$set: {x: 1}}}]}");
      fixture.must("{delete: 'a', deletes: [{q: {_id: 1, k: 'x'}, limit: 1}]}");
    }
  }

  private static String writeError(BsonDocument reply) {
    BsonDocument error = reply.getArray("writeErrors").get(0).asDocument();
    return error.getInt32("code").getValue() + " " + error.getString("errmsg").getValue();
  }

  @Test
  void aUniqueIndexNeedsTheKeyAndAnEmptyCollection() {
    try (var fixture = CosmosFixture.cosmos(directory)) {
      fixture.must("{shardCollection: 'shop.a', key: {university: 'hashed'}}");
      String create = "{createIndexes: 'a', indexes: [{key: {%s}, name: '%s', unique: true}]}";
      assertThat(fixture.error(create.formatted("student_id: 1", "one")))
          .isEqualTo(
              "67 CannotCreateIndex: cannot create unique index over {student_id : 1.0} with"
                  + " shard key pattern { university : 1.0 }");
      fixture.must(create.formatted("university: 1, student_id: 1", "two"));
      fixture.must("{insert: 'a', documents: [{_id: 1, university: 'x'}]}");
      assertThat(fixture.error(create.formatted("university: 1, other: 1", "three")))
          .isEqualTo(
              "67 CannotCreateIndex: Cannot create unique index when collection contains"
                  + " documents");
    }
  }

  @Test
  void placesOnTheSphereAreTakenAndLegacyShapesAreNot() {
    try (var fixture = CosmosFixture.cosmos(directory)) {
      String create = "{createIndexes: 'a', indexes: [{key: {loc: '%s'}, name: 'g'}]}";
      assertThat(fixture.error(create.formatted("2d")))
          .isEqualTo("67 CannotCreateIndex: Indexes of type '2d' are not supported.");
      assertThat(fixture.error(create.formatted("text")))
          .isEqualTo("67 CannotCreateIndex: Indexes of type 'text' are not supported.");
      fixture.must(create.formatted("2dsphere"));
      fixture.must(
          "{insert: 'a', documents: [{_id: 1, loc: {type: 'Point', coordinates: [1, 2]}}]}");
      String point = "{$geometry: {type: 'Point', coordinates: [1, 2]}}";
      BsonDocument near = fixture.must("{find: 'a', filter: {loc: {$near: " + point + "}}}");
      assertThat(near.getDocument("cursor").getArray("firstBatch")).hasSize(1);
      assertThat(
              fixture.error("{find: 'a', filter: {loc: {$geoWithin: {$box: [[0, 0], [3, 3]]}}}}"))
          .contains("$box");
    }
  }

  @Test
  void createAndInsertGiveTheDefaultThroughput() {
    try (var fixture = CosmosFixture.cosmos(directory)) {
      fixture.must("{create: 'a'}");
      assertThat(fixture.answer("{customAction: 'GetCollection', collection: 'a'}"))
          .contains("\"provisionedThroughput\": 400");
      fixture.must("{customAction: 'CreateDatabase', offerThroughput: 500, $db: 'other'}");
      fixture.must("{dropDatabase: 1, $db: 'other'}");
      assertThat(fixture.error("{customAction: 'GetDatabase', $db: 'other'}")).startsWith("26 ");
    }
  }

  @Test
  void pipelinesArePricedAndReadTheConfigDatabase() {
    try (var fixture = CosmosFixture.cosmos(directory)) {
      fixture.must("{shardCollection: 'shop.a', key: {k: 'hashed'}, numInitialChunks: 3}");
      fixture.must("{aggregate: 'a', pipeline: [{$match: {x: 1}}], cursor: {}}");
      assertThat(fixture.charge()).isEqualTo(3 * 52 / 21.0);
      BsonDocument chunks =
          fixture.must(
              "{aggregate: 'chunks', pipeline: [{$group: {_id: '$shard', cnt: {$sum: 1}}}],"
                  + " cursor: {}, $db: 'config'}");
      assertThat(chunks.getDocument("cursor").getArray("firstBatch").get(0).asDocument().toJson())
          .isEqualTo("{\"_id\": \"orrery\", \"cnt\": 3}");
    }
  }
}
