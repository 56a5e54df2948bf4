package dev.orrery.server.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.storage.value.RawDocument;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The case files of the query language, answered by the classes alone. */
class QueryCasesTest {
  private static final List<String> FILES =
      List.of(
          "array",
          "bitwise",
          "collation",
          "comparison",
          "element",
          "evaluation",
          "logical",
          "paths",
          "projection",
          "schema",
          "sort");

  @TestFactory
  Stream<DynamicContainer> cases() {
    return FILES.stream()
        .map(
            file ->
                DynamicContainer.dynamicContainer(
                    file,
                    load(file).stream()
                        .map(
                            test ->
                                DynamicTest.dynamicTest(
                                    test.getString("name").getValue(), () -> check(test)))));
  }

  static List<BsonDocument> load(String file) {
    try (var stream = QueryCasesTest.class.getResourceAsStream("/cases/query/" + file + ".json")) {
      String json = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
      return RecordedCases.parse("{\"cases\": " + json + "}").getArray("cases").stream()
          .map(BsonValue::asDocument)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void check(BsonDocument test) {
    var documents = test.getArray("documents").stream().map(BsonValue::asDocument).toList();
    var answer = new FindOnClasses(documents).answer(test.getDocument("find"));
    var expected = test.getDocument("expect");
    if (expected.containsKey("code")) {
      assertThat(answer.get("errmsg")).isEqualTo(expected.get("message"));
      assertThat(answer.get("code")).isEqualTo(expected.get("code"));
    } else if (expected.containsKey("ids")) {
      assertThat(ids(answer)).isEqualTo(expected.get("ids"));
    } else {
      assertThat(bytes(answer.getArray("documents")))
          .isEqualTo(bytes(expected.getArray("documents")));
    }
  }

  private static BsonArray ids(BsonDocument answer) {
    assertThat(answer.keySet()).containsExactly("documents");
    return new BsonArray(
        answer.getArray("documents").stream()
            .map(document -> document.asDocument().get("_id"))
            .toList());
  }

  /** Equal documents may differ in the order of their fields, equal bytes do not. */
  private static List<RawDocument> bytes(BsonArray documents) {
    return documents.stream().map(document -> RawDocument.of(document.asDocument())).toList();
  }
}
