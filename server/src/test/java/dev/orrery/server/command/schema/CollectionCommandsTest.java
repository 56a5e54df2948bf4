package dev.orrery.server.command.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.EngineFixture;
import java.nio.file.Path;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CollectionCommandsTest {
  @TempDir Path directory;
  private EngineFixture fixture;

  @BeforeEach
  void open() {
    fixture = new EngineFixture(directory);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private List<BsonDocument> list(String command) {
    BsonArray batch = fixture.run(command).getDocument("cursor").getArray("firstBatch");
    return batch.stream().map(BsonValue::asDocument).toList();
  }

  private List<String> names() {
    return list("{listCollections: 1, nameOnly: true}").stream()
        .map(document -> document.getString("name").getValue())
        .toList();
  }

  @Test
  void creatingTheSameTwiceIsNoError() {
    assertThat(fixture.run("{create: 'c', capped: true, size: 5000}").toJson())
        .isEqualTo("{\"ok\": 1.0}");
    assertThat(fixture.run("{create: 'c', capped: true, size: 5000}").toJson())
        .isEqualTo("{\"ok\": 1.0}");
    assertThat(fixture.error("{create: 'c'}"))
        .startsWith("48 NamespaceExists: namespace db.c already exists, but with different options")
        .endsWith("capped: true, size: 5000 }");
  }

  @Test
  void optionsThatDoNotGoTogetherAreRefused() {
    assertThat(fixture.error("{create: 'c', capped: true}"))
        .isEqualTo("72 InvalidOptions: the 'size' field is required when 'capped' is true");
    assertThat(fixture.error("{create: 'c', pipeline: []}"))
        .isEqualTo("72 InvalidOptions: 'pipeline' requires 'viewOn' to also be specified");
    assertThat(fixture.error("{create: 'c', expireAfterSeconds: 1}")).startsWith("72 ");
    assertThat(fixture.error("{create: 'system.foo'}"))
        .isEqualTo("73 InvalidNamespace: Invalid system namespace: db.system.foo");
    assertThat(names()).isEmpty();
  }

  @Test
  void theCollationIsCompletedAndTheIdIndexHasIt() {
    fixture.run("{create: 'c', collation: {locale: 'fr'}}");
    BsonDocument described = list("{listCollections: 1}").get(0);
    assertThat(described.getDocument("options").getDocument("collation"))
        .isEqualTo(described.getDocument("idIndex").getDocument("collation"))
        .containsKey("version");
  }

  @Test
  void viewsShowWithTheirSystemCollectionAndMayNotFormACycle() {
    fixture.run("{create: 'c'}");
    fixture.run("{create: 'v', viewOn: 'c', pipeline: []}");
    fixture.run("{create: 'w', viewOn: 'v'}");
    assertThat(names()).containsExactly("c", "system.views", "v", "w");
    assertThat(fixture.error("{collMod: 'v', viewOn: 'w', pipeline: []}"))
        .isEqualTo("5 GraphContainsCycle: View cycle detected: db.v => db.v => db.w => db.v");
    assertThat(fixture.error("{create: 'x', viewOn: 'c', pipeline: [{$out: 'y'}]}"))
        .startsWith("167 OptionNotSupportedOnView: Invalid pipeline for view db.x");
    assertThat(fixture.error("{create: 'v', viewOn: 'c', pipeline: [{$match: {}}]}"))
        .endsWith("already exists, but with pipeline {} rather than { 0: { $match: {} } }");
  }

  @Test
  void viewsOverViewsAreAtMostTwentyDeep() {
    fixture.run("{create: 'v0', viewOn: 'c'}");
    for (int i = 1; i < 20; i++) {
      fixture.run("{create: 'v" + i + "', viewOn: 'v" + (i - 1) + "'}");
    }
    assertThat(fixture.error("{create: 'v20', viewOn: 'v19'}"))
        .isEqualTo("165 ViewDepthLimitExceeded: View depth limit exceeded; maximum depth is 20");
  }

  @Test
  void droppingTellsTheIndexesAndAMissingCollectionIsNoError() {
    fixture.insert("c", "{_id: 1}");
    assertThat(fixture.run("{drop: 'c'}").toJson())
        .isEqualTo("{\"nIndexesWas\": 1, \"ns\": \"db.c\", \"ok\": 1.0}");
    assertThat(fixture.run("{drop: 'c'}").toJson()).isEqualTo("{\"ok\": 1.0}");
  }

  @Test
  void renamingMovesTheDocumentsAlsoToAnotherDatabase() {
    fixture.insert("c", "{_id: 1}");
    fixture.insert("d", "{_id: 2}", "{_id: 3}");
    String command = "{renameCollection: 'db.c', to: 'db.d', $db: 'admin'}";
    assertThat(fixture.error(command)).isEqualTo("48 NamespaceExists: target namespace exists");
    fixture.run("{renameCollection: 'db.c', to: 'db.d', dropTarget: true, $db: 'admin'}");
    assertThat(fixture.count("d")).isEqualTo(1);
    fixture.run("{renameCollection: 'db.d', to: 'other.e', $db: 'admin'}");
    assertThat(fixture.databases.find("other", "e")).isNotNull();
    assertThat(fixture.error("{renameCollection: 'db.x', to: 'db.y', $db: 'admin'}"))
        .isEqualTo("26 NamespaceNotFound: Database db does not exist or is drop pending");
  }

  @Test
  void changingOneOfTheValidationOptionsWritesAllOfThemDown() {
    fixture.run("{create: 'c', validator: {a: 1}}");
    fixture.run("{collMod: 'c', validationLevel: 'off'}");
    assertThat(list("{listCollections: 1}").get(0).getDocument("options"))
        .isEqualTo(
            BsonDocument.parse(
                "{validator: {a: 1}, validationLevel: 'off', validationAction: 'error'}"));
    assertThat(fixture.error("{collMod: 'c', validator: {$foo: 1}}"))
        .startsWith("2 BadValue: Parsing of collection validator failed :: caused by :: unknown");
  }

  @Test
  void aCappedCopyHoldsTheNewestDocuments() {
    for (int i = 0; i < 10; i++) {
      fixture.insert("c", "{_id: " + i + ", text: '" + "x".repeat(100) + "'}");
    }
    fixture.run("{cloneCollectionAsCapped: 'c', toCollection: 'd', size: 400}");
    fixture.run("{convertToCapped: 'c', size: 400}");
    assertThat(fixture.count("c")).isEqualTo(fixture.count("d")).isBetween(2L, 3L);
  }

  @Test
  void statisticsCountDocumentsAndDivideByTheScale() {
    fixture.insert("c", "{_id: 1, text: '" + "x".repeat(3000) + "'}");
    BsonDocument plain = fixture.run("{collStats: 'c'}");
    BsonDocument scaled = fixture.run("{collStats: 'c', scale: 1024}");
    assertThat(plain.getInt32("count").getValue()).isEqualTo(1);
    assertThat(scaled.getInt32("size").getValue()).isEqualTo(2);
    assertThat(fixture.run("{collStats: 'zz'}").getInt32("count").getValue()).isZero();
    assertThat(fixture.run("{validate: 'c'}").getBoolean("valid").getValue()).isTrue();
  }

  @Test
  void listingsComeInBatches() {
    fixture.run("{create: 'a'}");
    fixture.run("{create: 'b'}");
    BsonDocument reply = fixture.run("{listCollections: 1, cursor: {batchSize: 1}}");
    assertThat(reply.getDocument("cursor").getInt64("id").getValue()).isEqualTo(42);
    assertThat(reply.getDocument("cursor").getArray("firstBatch")).hasSize(1);
  }
}
