package dev.orrery.value;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.value.FieldPath.LeafArrays;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FieldPathTest {
  /** Values are separated by blanks; @n is the position reported with a value. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a     | {a: 1}                          | 1",
        "a     | {b: 1}                          | missing",
        "a     | {a: null}                       | null",
        "a.b   | {a: {b: 1}}                     | 1",
        "a.b   | {a: 1}                          | missing",
        "a.b   | {a: {}}                         | missing",
        "a     | {a: [1, 2]}                     | 1@0 2@1 [1,2]",
        "a     | {a: []}                         | []",
        "a     | {a: [[1]]}                      | [1]@0 [[1]]",
        "a.b   | {a: [{b: 1}, {b: 2}]}           | 1@0 2@1",
        "a.b   | {a: [{b: 1}, {}, 3]}            | 1@0 missing@1",
        "a.b   | {a: [1, 2]}                     |",
        "a.b   | {a: []}                         |",
        "a.b   | {a: [[{b: 1}]]}                 |",
        "a.b   | {a: [{b: [1, 2]}]}              | 1@0 2@0 [1,2]@0",
        "a.0   | {a: [5, 6]}                     | 5",
        "a.2   | {a: [5, 6]}                     |",
        "a.0   | {a: [[1, 2]]}                   | [1,2]",
        "a.0.b | {a: [{b: 5}]}                   | missing@0 5",
        "a.0.b | {a: [[{b: 5}, {b: 6}]]}         | 5@0 6@1",
        "a.0.1 | {a: [[5, 6]]}                   | 6",
        "a.0   | {a: [{'0': 7}]}                 | 7@0 {\"0\":7}",
        "a.0   | {a: {'0': 7}}                   | 7",
        "a.00  | {a: [5]}                        |"
      })
  void queriesReachTheseValues(String path, String json, String expected) {
    assertThat(reached(path, json, LeafArrays.EXPAND)).isEqualTo(expected == null ? "" : expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a   | {a: [1, 2]}          | [1,2]",
        "a.b | {a: [{b: [1]}, {}]}  | [1]@0 missing@1",
        "a.b | {a: {b: []}}         | []"
      })
  void keptLeafArraysAreNotEntered(String path, String json, String expected) {
    assertThat(reached(path, json, LeafArrays.KEEP)).isEqualTo(expected);
  }

  @Test
  void aVisitorCanStop() {
    var seen = new ArrayList<RawValue>();
    boolean isStopped =
        FieldPath.parse("a")
            .visit(
                document("{a: [1, 2, 3]}"),
                LeafArrays.EXPAND,
                (value, index) -> seen.add(value) && seen.size() == 2);
    assertThat(isStopped).isTrue();
    assertThat(seen).hasSize(2);
  }

  @Test
  void findDoesNotLookIntoArrays() {
    var path = FieldPath.parse("a.b");
    assertThat(path.find(document("{a: {b: 1}}")).asInt32()).isEqualTo(1);
    assertThat(path.find(document("{a: {b: [1]}}")).isArray()).isTrue();
    assertThat(path.find(document("{a: [{b: 1}]}"))).isNull();
    assertThat(path.find(document("{a: 1}"))).isNull();
    assertThat(path.find(document("{}"))).isNull();
    assertThat(path.findOrArray(document("{a: [{b: 1}]}")).isArray()).isTrue();
  }

  @Test
  void partsAndPrefixesAreNamed() {
    var path = FieldPath.parse("a.b.0");
    assertThat(path.parts()).containsExactly("a", "b", "0");
    assertThat(path.prefix(2)).isEqualTo("a.b");
    assertThat(FieldPath.parse("a..b").parts()).containsExactly("a", "", "b");
  }

  private static String reached(String path, String json, LeafArrays leaves) {
    List<String> values = new ArrayList<>();
    FieldPath.parse(path)
        .visit(
            document(json),
            leaves,
            (value, index) -> {
              values.add(show(value) + (index < 0 ? "" : "@" + index));
              return false;
            });
    return String.join(" ", values);
  }

  private static String show(RawValue value) {
    if (value == null) {
      return "missing";
    }
    String json = new BsonDocument("v", value.toBsonValue()).toJson().replace(" ", "");
    return json.substring("{\"v\":".length(), json.length() - 1);
  }

  private static RawDocument document(String json) {
    return RawDocument.of(BsonDocument.parse(json));
  }
}
