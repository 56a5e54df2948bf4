package dev.orrery.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonSymbol;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BsonOrderTest {
  @Test
  void typesOrderAsMongoDbDocuments() {
    assertAscending(
        """
        [{"$minKey": 1}, {"$undefined": true}, null, {"$numberDouble": "NaN"},
         {"$numberDouble": "-Infinity"}, {"$numberLong": "-9223372036854775808"}, -1, 0,
         {"$numberDecimal": "1E-6176"}, {"$numberDouble": "4.9E-324"}, 1, {"$numberDouble": "1.5"},
         {"$numberDecimal": "1E+400"}, {"$numberDouble": "Infinity"},
         "", "A", "a", "a\\u0000", "aa", "b", "é", "\\uFFFD", "\\uD83D\\uDE00",
         {}, {"a": 1}, {"a": 1, "b": 1}, {"b": 0}, {"a": ""}, {"a": []},
         [], [1], [1, 1], [2], [{}],
         {"$binary": {"base64": "", "subType": "80"}},
         {"$binary": {"base64": "AQ==", "subType": "00"}},
         {"$binary": {"base64": "AA==", "subType": "05"}},
         {"$binary": {"base64": "AAA=", "subType": "00"}},
         {"$oid": "000000000000000000000001"}, {"$oid": "800000000000000000000000"},
         false, true, {"$date": {"$numberLong": "-1"}}, {"$date": {"$numberLong": "0"}},
         {"$timestamp": {"t": 1, "i": 1}}, {"$timestamp": {"t": 4294967295, "i": 1}},
         {"$regularExpression": {"pattern": "a", "options": ""}},
         {"$regularExpression": {"pattern": "a", "options": "i"}},
         {"$regularExpression": {"pattern": "ab", "options": ""}},
         {"$dbPointer": {"$ref": "b", "$id": {"$oid": "000000000000000000000001"}}},
         {"$dbPointer": {"$ref": "aa", "$id": {"$oid": "000000000000000000000001"}}},
         {"$code": "a"}, {"$code": "a", "$scope": {}}, {"$maxKey": 1}]
        """);
  }

  private static void assertAscending(String json) {
    BsonArray values = BsonArray.parse(json);
    for (int i = 0; i < values.size(); i++) {
      for (int j = 0; j < values.size(); j++) {
        var left = values.get(i);
        var right = values.get(j);
        int expected = Integer.compare(i, j);
        assertThat(Integer.signum(BsonOrder.CANONICAL.compare(left, right)))
            .as("%s, %s", left, right)
            .isEqualTo(expected);
        assertThat(
                Integer.signum(BsonOrder.CANONICAL.compare(RawValue.of(left), RawValue.of(right))))
            .as("raw %s, %s", left, right)
            .isEqualTo(expected);
      }
    }
  }

  @Test
  void longsAndDoublesCompareWithoutRounding() {
    assertThat(compare(new BsonInt64((1L << 53) + 1), new BsonDouble(0x1p53))).isPositive();
    assertThat(compare(new BsonInt64(Long.MAX_VALUE), new BsonDouble(0x1p63))).isNegative();
    assertThat(compare(new BsonInt64(Long.MIN_VALUE), new BsonDouble(-0x1p63))).isZero();
    assertThat(compare(new BsonInt32(0), new BsonDouble(-0.0))).isZero();
    assertThat(compare(new BsonInt32(0), new BsonDouble(-Double.MIN_VALUE))).isPositive();
  }

  @Test
  void decimalsCompareWithDoublesExactly() {
    assertThat(compare(decimal("0.1"), new BsonDouble(0.1))).isNegative();
    assertThat(compare(decimal("0.5"), new BsonDouble(0.5))).isZero();
    assertThat(compare(decimal("9007199254740993"), new BsonInt64((1L << 53) + 1))).isZero();
    assertThat(compare(decimal("NaN"), new BsonDouble(Double.NaN))).isZero();
    assertThat(compare(decimal("Infinity"), new BsonDouble(Double.POSITIVE_INFINITY))).isZero();
    assertThat(compare(decimal("-0E+10"), new BsonInt32(0))).isZero();
    assertThat(compare(decimal("1E+6144"), new BsonDouble(Double.POSITIVE_INFINITY))).isNegative();
  }

  @Test
  void aCoefficientBeyond34DigitsIsZero() {
    var outside = Decimal128.fromIEEE754BIDEncoding(0x3041FFFFFFFFFFFFL, -1L);
    assertThat(compare(new BsonDecimal128(outside), new BsonInt32(0))).isZero();
    var otherForm = Decimal128.fromIEEE754BIDEncoding(0x6C00000000000000L, 1L);
    assertThat(compare(new BsonDecimal128(otherForm), new BsonInt32(0))).isZero();
    assertThat(KeyEncoder.encode(new BsonDecimal128(outside)))
        .isEqualTo(KeyEncoder.encode(new BsonInt32(0)));
  }

  @Test
  void aMissingValueOrdersAsUndefined() {
    assertThat(BsonOrder.CANONICAL.compare((BsonValue) null, new BsonUndefined())).isZero();
    assertThat(BsonOrder.CANONICAL.compare((BsonValue) null, new BsonInt32(1))).isNegative();
    assertThat(BsonOrder.CANONICAL.compare((RawValue) null, null)).isZero();
    assertThat(KeyEncoder.encode((BsonValue) null))
        .isEqualTo(KeyEncoder.encode(new BsonUndefined()));
  }

  @Test
  void documentsCompareTypesBeforeNames() {
    var number = BsonDocument.parse("{b: 1}");
    var string = BsonDocument.parse("{a: 'x'}");
    assertThat(compare(number, string)).isNegative();
    assertThat(BsonOrder.CANONICAL.compare(RawDocument.of(number), RawDocument.of(string)))
        .isNegative();
  }

  @Test
  void symbolsEqualStrings() {
    assertThat(compare(new BsonSymbol("a"), new BsonString("a"))).isZero();
    assertThat(BsonKey.of(new BsonSymbol("a"))).isEqualTo(BsonKey.of(new BsonString("a")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"5", "5.0", "5.00", "50E-1", "0.5E+1"})
  void equalNumbersAreOneKey(String decimal) {
    for (BsonValue five : List.of(new BsonInt32(5), new BsonInt64(5), new BsonDouble(5))) {
      assertThat(BsonKey.of(decimal(decimal))).isEqualTo(BsonKey.of(five));
      assertThat(KeyEncoder.encode(decimal(decimal))).isEqualTo(KeyEncoder.encode(five));
    }
  }

  /** Keys are stored: these bytes may not change. */
  @ParameterizedTest
  @CsvSource({
    "'{v: {$minKey: 1}}', 10",
    "'{v: null}', 18",
    "'{v: {$numberDouble: \"NaN\"}}', 20",
    "'{v: -1}', 29fd",
    "'{v: 0}', 2b",
    "'{v: 5}', 2d0a",
    "'{v: 127}', 2dfe",
    "'{v: 128}', 2e0100",
    "'{v: {$numberLong: \"9223372036854775807\"}}', 34fffffffffffffffe",
    "'{v: 0.5}', 2c7fc0000000000000",
    "'{v: 1.5}', 2d0380000000000000",
    "'{v: {$numberDecimal: \"1.5\"}}', 2d0380000000000000",
    "'{v: {$numberDecimal: \"19.99\"}}', 2d27fd70a3d70a3d714001146400",
    "'{v: {$numberDouble: \"Infinity\"}}', 35ffe0000000000000",
    "'{v: \"ab\\u0000\\u0001\"}', 406162010101020" + "0",
    "'{v: {a: 1, b: \"x\"}}', 48206100" + "2d02" + "406200" + "40780000",
    "'{v: [1, \"x\"]}', 502d024078" + "0000",
    "'{v: {$binary: {base64: \"/w==\", subType: \"04\"}}}', 580104ff",
    "'{v: {$oid: \"0102030405060708090a0b0c\"}}', 600102030405060708090a0b0c",
    "'{v: true}', 69",
    "'{v: {$date: {$numberLong: \"1\"}}}', 708000000000000001",
    "'{v: {$timestamp: {t: 1, i: 2}}}', 780000000100000002",
    "'{v: {$regularExpression: {pattern: \"a\", options: \"i\"}}}', 8061006900",
    "'{v: {$code: \"a\"}}', 906100",
    "'{v: {$code: \"a\", $scope: {}}}', 98610000",
    "'{v: {$maxKey: 1}}', f0"
  })
  void keysHaveTheseBytes(String json, String hex) {
    byte[] key = KeyEncoder.encode(BsonDocument.parse(json).get("v"));
    assertThat(HexFormat.of().formatHex(key)).isEqualTo(hex);
  }

  private static int compare(BsonValue left, BsonValue right) {
    int result = Integer.signum(BsonOrder.CANONICAL.compare(left, right));
    assertThat(Integer.signum(BsonOrder.CANONICAL.compare(right, left))).isEqualTo(-result);
    return result;
  }

  private static BsonValue decimal(String text) {
    return new BsonDecimal128(Decimal128.parse(text));
  }
}
