package dev.orrery.language.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.value.RawDocument;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
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
          "geo",
          "logical",
          "paths",
          "projection",
          "schema",
          "sort");

  /** What a case may be about; wrong types have a file of their own, see {@link WrongTypesTest}. */
  private static final Set<String> KINDS = Set.of("plain", "dotted", "array", "edge");

  /** What a find takes besides the operators of filters. */
  private static final Set<String> OPTIONS =
      Set.of(
          "collation",
          "projection",
          "projection $",
          "projection $elemMatch",
          "projection $meta",
          "projection $slice",
          "projection expression",
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

  @Test
  void everyOperatorHasCasesOfEveryKind() {
    var kinds = new TreeMap<String, Set<String>>();
    for (String file : FILES) {
      for (var test : load(file)) {
        if (test.containsKey("operator")) {
          kinds
              .computeIfAbsent(test.getString("operator").getValue(), name -> new TreeSet<>())
              .add(test.getString("case").getValue());
        }
      }
    }
    assertThat(kinds.keySet()).isEqualTo(everything());
    assertThat(kinds)
        .allSatisfy(
            (name, all) ->
                assertThat(all)
                    .as(name)
                    .containsAll(refused().contains(name) ? Set.of("plain") : KINDS));
  }

  /** All that the parser of filters knows, and all that stands beside a filter. */
  static Set<String> everything() {
    var names = new TreeSet<>(FilterOperators.ON_FIELDS.keySet());
    names.addAll(FilterOperators.AT_TOP_LEVEL.keySet());
    names.addAll(OPTIONS);
    return names;
  }

  /** Operators that need an index, or are known but refused: their paths do not matter here. */
  private static Set<String> refused() {
    return Set.of("$geoNear", "$near", "$nearSphere", "$text", "$where");
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
