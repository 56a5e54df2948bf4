package dev.orrery.server.update;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.error.CommandException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The cases of {@code cases/update}: a document {@code before} and {@code after} an update, a
 * document {@code inserted}, or an {@code error} with its code and words.
 */
class UpdateCasesTest {
  private static final JsonWriterSettings CANONICAL =
      JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();

  @TestFactory
  Stream<DynamicTest> fieldOperators() throws IOException {
    return tests("field");
  }

  @TestFactory
  Stream<DynamicTest> arrayOperators() throws IOException {
    return tests("array");
  }

  @TestFactory
  Stream<DynamicTest> positions() throws IOException {
    return tests("positional");
  }

  @TestFactory
  Stream<DynamicTest> replacementsAndPipelines() throws IOException {
    return tests("whole");
  }

  @TestFactory
  Stream<DynamicTest> upserts() throws IOException {
    return tests("upsert");
  }

  private static Stream<DynamicTest> tests(String file) throws IOException {
    try (var input = UpdateCasesTest.class.getResourceAsStream("/cases/update/" + file + ".json")) {
      var text = new String(Objects.requireNonNull(input).readAllBytes(), StandardCharsets.UTF_8);
      return BsonArray.parse(text).stream()
          .map(value -> value.asDocument())
          .map(one -> DynamicTest.dynamicTest(one.getString("name").getValue(), () -> run(one)));
    }
  }

  private static void run(BsonDocument one) {
    List<BsonDocument> before =
        one.containsKey("before") ? List.of(one.getDocument("before")) : List.of();
    var collection = new TinyCollection(before, "");
    var statement = statement(one);
    if (one.containsKey("error")) {
      assertThat(error(collection, statement)).isEqualTo(one.getArray("error"));
      assertThat(json(collection.documents())).isEqualTo(json(before));
      return;
    }
    var outcome = collection.update(statement, new BsonDocument());
    if (one.containsKey("inserted")) {
      assertThat(json(collection.documents()))
          .isEqualTo(json(List.of(one.getDocument("inserted"))));
      return;
    }
    var expected = one.containsKey("after") ? one.getDocument("after") : one.getDocument("before");
    assertThat(json(collection.documents())).isEqualTo(json(List.of(expected)));
    assertThat(outcome.modified())
        .isEqualTo(one.getInt32("nModified", new BsonInt32(1)).getValue());
  }

  private static BsonDocument statement(BsonDocument one) {
    var statement =
        new BsonDocument("q", one.getDocument("q", new BsonDocument())).append("u", one.get("u"));
    for (String option : List.of("arrayFilters", "c", "upsert")) {
      if (one.containsKey(option)) {
        statement.append(option, one.get(option));
      }
    }
    if (!one.containsKey("before")) {
      statement.append("upsert", BsonBoolean.TRUE);
    }
    return statement;
  }

  private static BsonArray error(TinyCollection collection, BsonDocument statement) {
    try {
      collection.update(statement, new BsonDocument());
    } catch (CommandException e) {
      return new BsonArray(
          List.of(new BsonInt32(e.code().number()), new BsonString(e.getMessage())));
    }
    return new BsonArray();
  }

  private static List<String> json(List<BsonDocument> documents) {
    return documents.stream().map(document -> document.toJson(CANONICAL)).toList();
  }
}
