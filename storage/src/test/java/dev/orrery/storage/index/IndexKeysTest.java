package dev.orrery.storage.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.storage.catalog.IndexKeyException;
import dev.orrery.storage.catalog.IndexKeyException.Reason;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.KeyEncoder;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import dev.orrery.value.StringOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IndexKeysTest {
  /** Pattern | document | keys, each an array of values. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{a: 1}           | {a: 5}                            | [[5]]",
        "{a: 1}           | {b: 5}                            | [[null]]",
        "{a: 1}           | {a: null}                         | [[null]]",
        "{a: 1}           | {a: {b: 1}}                       | [[{b: 1}]]",
        "{a: 1}           | {a: [1, 2, 1]}                    | [[1], [2]]",
        "{a: 1}           | {a: [1, 1.0]}                     | [[1]]",
        "{a: 1}           | {a: []}                           | [[{$undefined: true}]]",
        "{a: 1}           | {a: [[1, 2], 3, []]}              | [[[1, 2]], [3], [[]]]",
        "{a: 1}           | {a: [null, {b: 1}]}               | [[null], [{b: 1}]]",
        "{a: -1}          | {a: [1, 2]}                       | [[1], [2]]",
        "{'a.b': 1}       | {a: {b: 1}}                       | [[1]]",
        "{'a.b': 1}       | {a: 1}                            | [[null]]",
        "{'a.b': 1}       | {a: [{b: 1}, {b: 2}]}             | [[1], [2]]",
        "{'a.b': 1}       | {a: [{b: 1}, {c: 2}, 3]}          | [[1], [null]]",
        "{'a.b': 1}       | {a: []}                           | [[null]]",
        "{'a.b': 1}       | {a: [{b: [1, 2]}, {b: []}]}       | [[1], [2], [{$undefined: true}]]",
        "{'a.b': 1}       | {a: [[{b: 1}]]}                   | [[null]]",
        "{a: 1, b: 1}     | {a: 1}                            | [[1, null]]",
        "{a: 1, b: -1}    | {a: [1, 2], b: 3}                 | [[1, 3], [2, 3]]",
        "{a: 1, b: 1}     | {a: [], b: 3}                     | [[{$undefined: true}, 3]]",
        "{'a.b': 1, 'a.c': 1} | {a: [{b: 1, c: 2}, {b: 3}]}   | [[1, 2], [3, null]]",
        "{'a.b': 1, 'a.c': 1} | {a: [{b: [1, 2], c: 3}]}      | [[1, 3], [2, 3]]",
        "{a: 1, 'a.b': 1} | {a: [{b: 1}, 2]}                  | [[{b: 1}, 1], [2, null]]",
        "{'a.0': 1}       | {a: [5, 6]}                       | [[5]]",
        "{'a.2': 1}       | {a: [5, 6]}                       | [[null]]",
        "{'a.0': 1}       | {a: [[1, 2]]}                     | [[[1, 2]]]",
        "{'a.0.b': 1}     | {a: [{b: 1}, {b: 2}]}             | [[1]]",
        "{'a.0.b': 1}     | {a: [[{b: 1}, {b: 2}]]}           | [[1], [2]]",
        "{'a.0': 1}       | {a: {'0': 7}}                     | [[7]]",
        "{a: 1, 'a.0': 1} | {a: [5, 6]}                       | [[5, 5], [6, 5]]"
      })
  void documentsHaveTheseKeys(String pattern, String json, String expected) {
    assertKeys(spec(pattern, "{}"), json, expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{a: 1}          | {b: 1}             | []",
        "{a: 1}          | {a: null}          | [[null]]",
        "{a: 1}          | {a: []}            | [[{$undefined: true}]]",
        "{a: 1, b: 1}    | {c: 1}             | []",
        "{a: 1, b: 1}    | {b: 1}             | [[null, 1]]",
        "{'a.b': 1}      | {a: [{c: 1}]}      | []",
        "{'a.b': 1}      | {a: [{b: 1}, {}]}  | [[1]]",
        "{'a.b': 1}      | {a: []}            | []"
      })
  void sparseIndexesLeaveOutDocumentsWithoutAnyField(String pattern, String json, String keys) {
    assertKeys(spec(pattern, "{sparse: true}"), json, keys);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{a: 1}               | {a: 1}                       | []",
        "{a: 1}               | {a: [1]}                     | [[a]]",
        "{a: 1}               | {a: []}                      | [[a]]",
        "{a: 1, b: 1}         | {a: 1, b: [1]}               | [[], [b]]",
        "{'a.b': 1, 'a.c': 1} | {a: [{b: 1, c: 2}]}          | [[a], [a]]",
        "{'a.b': 1}           | {a: [{b: [1]}]}              | [[a, a.b]]",
        "{'a.b.c': 1}         | {a: [{b: []}, {b: 1}]}       | [[a, a.b]]",
        "{'a.0': 1}           | {a: [1, 2]}                  | []",
        "{'a.0.b': 1}         | {a: [[{b: 1}]]}              | [[a.0]]",
        "{'a.b': 1, 'a.b.0': 1} | {a: {b: [1, 2]}}           | [[a.b], []]"
      })
  void pathsThatEnterArraysMakeTheIndexMultikey(String pattern, String json, String expected) {
    var keySet = IndexKeys.of(spec(pattern, "{}")).extract(document(json));
    assertThat(keySet.multikeyPaths().toString()).isEqualTo(expected);
    assertThat(keySet.isMultikey()).isEqualTo(!expected.equals("[]"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{a: 1, b: 1}         | {a: [1], b: [2]}             | [b] [a]",
        "{a: 1, b: 1}         | {a: [], b: []}               | [b] [a]",
        "{'a.b': 1, 'a.c': 1} | {a: [{b: [1], c: [2]}]}      | [c] [b]",
        "{'x.a': 1, 'y.b': 1} | {x: {a: [1]}, y: {b: [2]}}   | [b] [a]"
      })
  void parallelArraysAreRefused(String pattern, String json, String names) {
    assertThatThrownBy(() -> IndexKeys.of(spec(pattern, "{}")).of(document(json)))
        .isInstanceOfSatisfying(
            IndexKeyException.class, e -> assertThat(e.reason()).isEqualTo(Reason.PARALLEL_ARRAYS))
        .hasMessage("cannot index parallel arrays " + names);
  }

  @Test
  void aPositionThatIsAlsoANameIsRefused() {
    var keys = IndexKeys.of(spec("{'a.0': 1}", "{}"));
    assertThatThrownBy(() -> keys.of(document("{a: [{'0': 1}]}")))
        .isInstanceOfSatisfying(
            IndexKeyException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(Reason.AMBIGUOUS_FIELD);
              assertThat(e.array().length()).isPositive();
            })
        .hasMessageContaining("field: '0' for array: ");
  }

  @Test
  void partialIndexesTakeOnlyWhatTheirFilterTakes() {
    var keys =
        IndexKeys.of(
            spec("{a: 1}", "{partialFilterExpression: {b: 1}}"),
            StringOrder.UTF8,
            document -> document.field("b") != null);
    assertThat(keys.of(document("{a: 1}"))).isEmpty();
    assertThat(keys.of(document("{a: 1, b: 1}"))).hasSize(1);
  }

  @Test
  void descendingFieldsTurnTheOrderAround() {
    var keys = IndexKeys.of(spec("{a: 1, b: -1}", "{}"));
    List<byte[]> ordered =
        Stream.of("{a: 1, b: 'x'}", "{a: 1, b: 2}", "{a: 1, b: 1}", "{a: 1}", "{a: 2, b: 9}")
            .map(json -> keys.of(document(json)).get(0))
            .toList();
    assertThat(ordered).isSortedAccordingTo(Arrays::compareUnsigned);
  }

  @Test
  void collationsDecideWhichStringsAreEqual() {
    var caseless =
        new StringOrder() {
          @Override
          public int compare(String left, String right) {
            return left.compareToIgnoreCase(right);
          }

          @Override
          public byte[] sortKey(String text) {
            return text.toLowerCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8);
          }
        };
    for (String pattern : List.of("{a: 1}", "{a: 'hashed'}", "{'$**': 1}")) {
      var keys = IndexKeys.of(spec(pattern, "{}"), caseless, document -> true);
      var upper = keys.of(document("{a: 'ABC'}"));
      assertThat(upper.get(0)).isEqualTo(keys.of(document("{a: 'abc'}")).get(0));
      assertThat(upper.get(0)).isNotEqualTo(keys.of(document("{a: 'abd'}")).get(0));
    }
    var nested = IndexKeys.of(spec("{'$**': 1}", "{}"), caseless, document -> true);
    assertThat(nested.of(document("{A: 1}")).get(0))
        .isNotEqualTo(nested.of(document("{a: 1}")).get(0)); // paths are no strings of the user
  }

  /** Values as MongoDB 7.0 answers {@code $toHashedIndexKey}. */
  @ParameterizedTest
  @CsvSource({"7, 9174449368162552349", "'\"Hello\"', -2396489920198629557"})
  void hashesAreMongoDbs(String json, long expected) {
    RawValue value = RawValue.of(BsonDocument.parse("{v: " + json + "}").get("v"));
    assertThat(MongoHash.of(value)).isEqualTo(expected);
    assertThat(MongoHash.forIndex(value, StringOrder.UTF8)).isEqualTo(expected);
  }

  @Test
  void hashedFieldsHoldTheHashOfTheValue() {
    var keys = IndexKeys.of(spec("{a: 'hashed', b: -1}", "{}"));
    var expected =
        new KeyEncoder()
            .append(9174449368162552349L, false)
            .append(RawValue.of(new BsonString("x")), true);
    assertThat(keys.of(document("{a: 7, b: 'x'}"))).containsExactly(expected.toByteArray());
    assertThat(keys.of(document("{a: 7.9, b: 'x'}"))).containsExactly(expected.toByteArray());
    assertThat(keys.of(document("{b: 1}")).get(0))
        .isEqualTo(keys.of(document("{a: null, b: 1}")).get(0));
    assertThat(IndexKeys.of(spec("{a: 'hashed'}", "{sparse: true}")).of(document("{}"))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "'{$numberDecimal: \"1.5\"}', 1.5",
    "'{$numberDecimal: \"9223372036854775808\"}', 9223372036854775808.0",
    "'{a: {$numberDecimal: \"1.5\"}}', '{a: 1.5}'"
  })
  void equalNumbersHaveOneHashInAnIndex(String left, String right) {
    var keys = IndexKeys.of(spec("{a: 'hashed'}", "{}"));
    assertThat(keys.of(document("{a: " + left + "}")).get(0))
        .isEqualTo(keys.of(document("{a: " + right + "}")).get(0));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{a: 'hashed'}         | {a: [1]}         | a",
        "{'a.b.c': 'hashed'}   | {a: {b: [1]}}    | a.b",
        "{a: 'hashed', b: 1}   | {a: 1, b: []}    | b"
      })
  void hashedIndexesTakeNoArrays(String pattern, String json, String path) {
    assertThatThrownBy(() -> IndexKeys.of(spec(pattern, "{}")).of(document(json)))
        .isInstanceOfSatisfying(
            IndexKeyException.class, e -> assertThat(e.reason()).isEqualTo(Reason.HASHED_ARRAY))
        .hasMessage(
            "Error: hashed indexes do not currently support array values. Found array at path: "
                + path);
  }

  @Test
  void textAndGeoIndexesHaveNoKeysYet() {
    for (String kind : List.of("text", "2d", "2dsphere")) {
      var spec = spec("{a: '" + kind + "'}", "{}");
      assertThatThrownBy(() -> IndexKeys.of(spec))
          .isInstanceOf(UnsupportedOperationException.class);
    }
  }

  static void assertKeys(IndexSpec spec, String json, String expected) {
    List<String> keys =
        BsonArray.parse(expected).stream()
            .map(key -> encode(spec, key.asArray()))
            .sorted()
            .toList();
    List<String> actual =
        IndexKeys.of(spec).of(document(json)).stream().map(HexFormat.of()::formatHex).toList();
    assertThat(actual).as("%s over %s", spec.keyPattern(), json).isEqualTo(keys);
  }

  private static String encode(IndexSpec spec, BsonArray values) {
    var encoder = new KeyEncoder();
    for (int i = 0; i < values.size(); i++) {
      BsonValue value = values.get(i);
      encoder.append(value, spec.fields().get(i).isDescending());
    }
    return HexFormat.of().formatHex(encoder.toByteArray());
  }

  static IndexSpec spec(String pattern, String options) {
    var document = new BsonDocument("key", BsonDocument.parse(pattern));
    document.append("name", new BsonString("test"));
    document.putAll(BsonDocument.parse(options));
    return IndexSpec.of(document);
  }

  static RawDocument document(String json) {
    return RawDocument.of(BsonDocument.parse(json));
  }
}
