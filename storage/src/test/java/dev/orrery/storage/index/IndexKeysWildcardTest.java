package dev.orrery.storage.index;

import static dev.orrery.storage.index.IndexKeysTest.document;
import static dev.orrery.storage.index.IndexKeysTest.spec;
import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.KeyEncoder;
import java.util.HexFormat;
import java.util.List;
import org.bson.BsonArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IndexKeysWildcardTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{_id: 1, a: 1}                  | [['a', 1]]",
        "{_id: 1}                        | []",
        "{a: {b: 1, c: {d: 2}}}          | [['a.b', 1], ['a.c.d', 2]]",
        "{a: {}}                         | [['a', {}]]",
        "{a: []}                         | [['a', {$undefined: true}]]",
        "{a: [1, 2, {b: 3}]}             | [['a', 1], ['a', 2], ['a.b', 3]]",
        "{a: [[1, 2], [], {}]}           | [['a', [1, 2]], ['a', []], ['a', {}]]",
        "{a: [{b: [1]}]}                 | [['a.b', 1]]",
        "{'a.b': 1, c: null}             | [['c', null]]"
      })
  void everyPathHasItsKeys(String json, String expected) {
    assertKeys(spec("{'$**': 1}", "{}"), json, expected);
    assertKeys(spec("{'$**': -1}", "{}"), json, expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{a: 1, b: 2}                      | [['a', 1]]",
        "{a: {b: 1, c: [2]}, _id: 1}       | [['a.b', 1], ['a.c', 2]]",
        "{b: 2}                            | []"
      })
  void aRootLimitsTheIndexToItsSubtree(String json, String expected) {
    assertKeys(spec("{'a.$**': 1}", "{}"), json, expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{a: 1}            | {_id: 1, a: 1, b: 2}              | [['a', 1]]",
        "{a: 1, _id: 1}    | {_id: 1, a: 1, b: 2}              | [['_id', 1], ['a', 1]]",
        "{a: 0}            | {_id: 1, a: 1, b: 2}              | [['b', 2]]",
        "{a: 0, _id: 1}    | {_id: 1, a: 1, b: 2}              | [['_id', 1], ['b', 2]]",
        "{'a.b': 1}        | {a: {b: 1, c: 2}}                 | [['a.b', 1]]",
        "{'a.b': 1}        | {a: {c: 2}}                       | [['a', {}]]",
        "{'a.b': 1}        | {a: 5}                            | []",
        "{'a.b': 1}        | {a: [{b: 1, c: 2}, 5, [{b: 3}]]}  | [['a.b', 1]]",
        "{a: {b: 1}}       | {a: {b: 1, c: 2}}                 | [['a.b', 1]]",
        "{'a.b': 0} | {a: [{b: 1, c: 2}, 5, [{b: 3}]]}  | [['a.c', 2], ['a', 5], ['a', [{b: 3}]]]",
        "{_id: 1}          | {_id: 1, a: 1}                    | [['_id', 1]]",
        "{_id: 0}          | {_id: 1, a: 1}                    | [['a', 1]]"
      })
  void aProjectionChoosesThePaths(String projection, String json, String expected) {
    assertKeys(spec("{'$**': 1}", "{wildcardProjection: " + projection + "}"), json, expected);
  }

  @Test
  void theMultikeyPathsAreThoseOfTheArrays() {
    var keys = IndexKeys.of(spec("{'$**': 1}", "{}"));
    assertThat(keys.extract(document("{a: [{b: [1]}], c: [], d: 1}")).multikeyPaths().toString())
        .isEqualTo("[[a, a.b, c]]");
    assertThat(keys.extract(document("{a: {b: 1}}")).isMultikey()).isFalse();
  }

  /** Keys: the field before, path, value, the field after. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{x: 1, w: {a: 2, b: 3}, y: 4} | [[1, 'w.a', 2, 4], [1, 'w.b', 3, 4]]",
        "{x: [1, 2], w: {a: 3}}        | [[1, 'w.a', 3, null], [2, 'w.a', 3, null]]",
        "{x: 1, y: 2}                  | [[1, {$minKey: 1}, {$minKey: 1}, 2]]"
      })
  void compoundIndexesSurroundEachPair(String json, String expected) {
    List<String> keys =
        BsonArray.parse(expected).stream()
            .map(
                key -> {
                  var encoder = new KeyEncoder();
                  key.asArray().forEach(value -> encoder.append(value, false));
                  return HexFormat.of().formatHex(encoder.toByteArray());
                })
            .sorted()
            .toList();
    var index = IndexKeys.of(spec("{x: 1, 'w.$**': 1, y: 1}", "{}"));
    assertThat(index.of(document(json)).stream().map(HexFormat.of()::formatHex))
        .containsExactlyElementsOf(keys);
  }

  @Test
  void compoundIndexesTellTheMultikeyPathsOfEachField() {
    var index = IndexKeys.of(spec("{x: 1, 'w.$**': 1, y: 1}", "{}"));
    assertThat(index.extract(document("{x: [1], w: {a: [1]}, y: [2]}")).multikeyPaths().toString())
        .isEqualTo("[[x], [w.a], [y]]");
  }

  private static void assertKeys(IndexSpec spec, String json, String expected) {
    boolean isDescending = spec.fields().get(0).isDescending();
    List<String> keys =
        BsonArray.parse(expected).stream()
            .map(
                key ->
                    new KeyEncoder()
                        .appendName(key.asArray().get(0).asString().getValue())
                        .append(key.asArray().get(1), isDescending)
                        .toByteArray())
            .map(HexFormat.of()::formatHex)
            .sorted()
            .toList();
    assertThat(IndexKeys.of(spec).of(document(json)).stream().map(HexFormat.of()::formatHex))
        .as("%s over %s", spec, json)
        .containsExactlyElementsOf(keys);
  }
}
