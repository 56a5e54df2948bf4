package dev.orrery.server.command.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.EngineFixture;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IndexCommandsTest {
  @TempDir Path directory;
  private EngineFixture fixture;

  @BeforeEach
  void open() {
    fixture = new EngineFixture(directory);
    fixture.insert("c", "{_id: 1, a: 1}", "{_id: 2, a: 1}");
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private BsonDocument create(String spec) {
    return fixture.run("{createIndexes: 'c', indexes: [" + spec + "]}");
  }

  private String refused(String spec) {
    return fixture.error("{createIndexes: 'c', indexes: [" + spec + "]}");
  }

  private String names() {
    return fixture.run("{listIndexes: 'c'}").getDocument("cursor").getArray("firstBatch").stream()
        .map(index -> index.asDocument().getString("name").getValue())
        .collect(Collectors.joining(" "));
  }

  @Test
  void aNewIndexIsCountedAndTheSameAgainIsNoError() {
    assertThat(create("{key: {a: 1}, name: 'a_1'}").toJson())
        .isEqualTo(
            "{\"numIndexesBefore\": 1, \"numIndexesAfter\": 2,"
                + " \"createdCollectionAutomatically\": false, \"ok\": 1.0}");
    assertThat(create("{key: {a: 1}, name: 'a_1', hidden: true}").toJson())
        .isEqualTo(
            "{\"numIndexesBefore\": 2, \"numIndexesAfter\": 2,"
                + " \"note\": \"all indexes already exist\", \"ok\": 1.0}");
  }

  @Test
  void aMissingCollectionIsCreatedOnlyIfTheIndexIsGood() {
    assertThat(fixture.error("{createIndexes: 'n', indexes: [{key: {a: 1}, name: ''}]}"))
        .startsWith("67 ");
    assertThat(fixture.databases.find("db", "n")).isNull();
    BsonDocument reply = fixture.run("{createIndexes: 'n', indexes: [{key: {a: 1}, name: 'x'}]}");
    assertThat(reply.getBoolean("createdCollectionAutomatically").getValue()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {key: {}, name: 'n'}                        | 67  | Index keys cannot be empty.
          {key: {a: 0}, name: 'n'}                    | 67  | cannot be 0.
          {key: {'a..b': 1}, name: 'n'}               | 67  | cannot contain an empty field.
          {key: {a: 'foo'}, name: 'n'}                | 67  | Unknown index plugin 'foo'
          {key: {a: '2dsphere_bucket'}, name: 'n'}    | 6540600 | must have 'control' object present
          {key: {a: 'columnstore'}, name: 'n'}        | 238 | 'columnstore' are not implemented
          {key: {_id: -1}, name: 'n'}                 | 2   | must be {_id: 1}, but got { _id: -1 }
          {key: {a: 1}, name: '*'}                    | 2   | The index name '*' is not valid.
          {key: {a: 1}, name: 'n', foo: 1}            | 197 | The field 'foo' is not valid
          {key: {a: 1}, name: 'n', unique: 'x'}       | 14  | which is not convertible to bool
          {key: {a: 1, b: 1}, name: 'n', expireAfterSeconds: 1}  | 67 | TTL indexes are single-field
          {key: {'$**': 1}, name: 'n', unique: true}  | 67  | does not support the 'unique' option
          {key: {h: 'hashed'}, name: 'n', unique: true} | 16764 | cannot guarantee uniqueness
          {key: {a: 1}, name: "n", partialFilterExpression: {b: {$ne: 1}}} | 67 | index: $not
          {key: {a: 1}, name: 'n', collation: {}}     | 2   | cannot be an empty object.
          """)
  void aBadDescriptionIsRefusedInMongoDbsWords(String spec, int code, String words) {
    assertThat(refused(spec)).startsWith(code + " ").contains(words);
    assertThat(names()).isEqualTo("_id_");
  }

  @Test
  void anIndexOfBucketsIsNotBuiltOverBucketsEither() {
    fixture.insert("b", "{_id: 1, control: {version: 1}}", "{_id: 2, control: {version: 1}}");
    String create = "{createIndexes: '%s', indexes: [{key: {a: '2dsphere_bucket'}, name: 'n'}]}";
    assertThat(fixture.error(create.formatted("b"))).startsWith("238 NotImplemented");
    assertThat(fixture.error(create.formatted("none"))).startsWith("238 NotImplemented");
    fixture.insert("b", "{_id: 3, control: 1}");
    assertThat(fixture.error(create.formatted("b"))).startsWith("6540600 Location6540600: Index");
  }

  @Test
  void otherOptionsUnderTheSameNameAreAConflict() {
    create("{key: {a: 1}, name: 'a_1'}");
    assertThat(refused("{key: {a: 1}, name: 'a_1', expireAfterSeconds: 5}"))
        .startsWith("85 IndexOptionsConflict: An equivalent index already exists");
    assertThat(refused("{key: {b: 1}, name: 'a_1'}")).startsWith("86 IndexKeySpecsConflict: ");
    assertThat(refused("{key: {a: 1}, name: 'other'}"))
        .isEqualTo("85 IndexOptionsConflict: Index already exists with a different name: a_1");
    assertThat(refused("{key: {z: 1}, name: 'z'}, {key: {z: 1}, name: 'z'}"))
        .startsWith("96 OperationFailed: Index build failed: ");
  }

  @Test
  void filtersThatMeanTheSameAreTheSame() {
    create("{key: {a: 1}, name: 'p', partialFilterExpression: {b: 1}}");
    assertThat(
            create("{key: {a: 1}, name: 'p', partialFilterExpression: {b: {$eq: 1}}}")
                .getString("note")
                .getValue())
        .isEqualTo("all indexes already exist");
  }

  @Test
  void duplicatesEndTheBuildAndNothingStays() {
    assertThat(refused("{key: {a: 1}, name: 'u', unique: true}"))
        .startsWith("11000 DuplicateKey: Index build failed: 00000000-0000-0000-0000-000000000001:")
        .endsWith("E11000 duplicate key error collection: db.c index: u dup key: { a: 1 }");
    assertThat(names()).isEqualTo("_id_");
  }

  @Test
  void indexesAreDroppedByNameByKeyOrAll() {
    create("{key: {a: 1}, name: 'a'}, {key: {b: 1}, name: 'b'}, {key: {d: 1}, name: 'd'}");
    assertThat(fixture.error("{dropIndexes: 'c', index: ['a', 'zz']}"))
        .isEqualTo("27 IndexNotFound: index not found with name [zz]");
    fixture.run("{dropIndexes: 'c', index: 'a'}");
    fixture.run("{dropIndexes: 'c', index: {b: 1.0}}");
    assertThat(names()).isEqualTo("_id_ d");
    assertThat(fixture.run("{deleteIndexes: 'c', index: '*'}").getString("msg").getValue())
        .isEqualTo("non-_id indexes dropped for collection");
    assertThat(fixture.error("{dropIndexes: 'c', index: '_id_'}"))
        .isEqualTo("72 InvalidOptions: cannot drop _id index");
  }

  @Test
  void collModTellsOldAndNewValues() {
    create("{key: {a: 1}, name: 'a', expireAfterSeconds: 5}");
    assertThat(
            fixture
                .run("{collMod: 'c', index: {name: 'a', expireAfterSeconds: 9, hidden: true}}")
                .toJson())
        .isEqualTo(
            "{\"expireAfterSeconds_old\": 5, \"expireAfterSeconds_new\": 9,"
                + " \"hidden_old\": false, \"hidden_new\": true, \"ok\": 1.0}");
    assertThat(fixture.error("{collMod: 'c', index: {name: 'a', unique: true}}"))
        .startsWith("72 InvalidOptions: Cannot make index unique with 'prepareUnique=false'.");
    fixture.run("{collMod: 'c', index: {name: 'a', prepareUnique: true}}");
    assertThat(fixture.error("{collMod: 'c', index: {name: 'a', unique: true}}"))
        .startsWith("359 CannotConvertIndexToUnique: ");
  }

  @Test
  void thereAreAtMostSixtyFourIndexes() {
    for (int i = 1; i < 64; i++) {
      create("{key: {k" + i + ": 1}, name: 'k" + i + "'}");
    }
    assertThat(refused("{key: {k64: 1}, name: 'k64'}"))
        .isEqualTo(
            "67 CannotCreateIndex: add index fails, too many indexes for db.c key:{ k64: 1 }");
  }
}
