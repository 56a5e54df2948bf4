package dev.orrery.storage.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.value.BsonOrder;
import dev.orrery.value.RandomValues;
import dev.orrery.value.RawValue;
import java.util.Arrays;
import java.util.Random;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EffectivePartitionKeyTest {
  @ParameterizedTest
  @CsvSource({
    "5.0, 19C08621B135968252FB34B4CF66F811",
    "'\"redmond\"', 22E342F38A486A088463DFF7838A5963",
    "true, 0E711127C5B5A8E4726AC6DD306A3E59",
    "false, 2FE1BE91E90A3439635E0E9E37361EF2",
    "null, 378867E4430E67857ACE5C908374FE16"
  })
  void publishedVectorsComeOutBitForBit(String json, String expected) {
    assertThat(hash(json)).isEqualTo(expected);
  }

  @Test
  void aMissingValueHasItsPublishedHash() {
    assertThat(EffectivePartitionKey.of((RawValue) null))
        .hasToString("11622DAA78F835834610ABE56EFF5CB5");
    assertThat(hash("{$undefined: true}")).isEqualTo("11622DAA78F835834610ABE56EFF5CB5");
  }

  @Test
  void severalComponentsAreHashedAsOne() {
    var components = BsonArray.parse("[5.0, 'redmond', true, null]");
    assertThat(EffectivePartitionKey.of(components.stream().map(RawValue::of).toList()))
        .hasToString("3032DECBE2AB1768D8E0AEDEA35881DF");
  }

  /** Documents lie in partitions by these: they may never change. */
  @ParameterizedTest
  @CsvSource({
    "'{$oid: \"0102030405060708090a0b0c\"}', 0D21A0AEEAE8AD234AC6A2F6B70694CE",
    "'{$date: {$numberLong: \"1700000000000\"}}', 3040154FA9AB6B33E7B0A6643DD66292",
    "'{$timestamp: {t: 1, i: 2}}', 22F1A7751C9A349F71A193E014445AB6",
    "'{$binary: {base64: \"AQID\", subType: \"04\"}}', 24B4D9F0D3041BC4EC6440A7268A6C4D",
    "'{a: 1, b: {c: \"x\"}}', 30EFDD86EF57B0CFFD1BFFE6D0952408",
    "'[1, \"x\", []]', 2138DA8A73AC588024244B03D80F2B25",
    "'{$regularExpression: {pattern: \"a\", options: \"i\"}}', 3BEDFCE8315F69B835CEFB4A5D03C006",
    "'{\"$dbPointer\": {\"$ref\": \"a.b\", \"$id\": {\"$oid\": \"0102030405060708090a0b0c\"}}}', "
        + "2D1F8F326E9373752E8B1E5D099EFB2D",
    "'{$code: \"f()\"}', 142CBBFA6439308DBEC61B22B4873A62",
    "'{$code: \"f()\", $scope: {a: 1}}', 3AE1766E093E0AA1CF40B50E879905C3",
    "'{$minKey: 1}', 2E53B32479BD6EC0D38497CF2B8AD37E",
    "'{$maxKey: 1}', 3E36B5E8F66471A2561769E3CCEA0312",
    "'{$numberDouble: \"NaN\"}', 3F9BC25EF982E0BBDDFAABEDAA38F81B",
    "'{$numberDecimal: \"0.1\"}', 21DEBA97B3AF01087F4E1F889B0A7739",
    "'\"\"', 32E9366E637A71B4E710384B2F4970A0",
    "'\"a string longer than one block of the hash\"', 1939904BE1501B14D8345566C19E2D6D"
  })
  void otherTypesHaveTheseHashesForEver(String json, String expected) {
    assertThat(hash(json)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "5, '{$numberLong: \"5\"}'",
    "5, '{$numberDouble: \"5.0\"}'",
    "5, '{$numberDecimal: \"5.00\"}'",
    "0, '{$numberDouble: \"-0.0\"}'",
    "0, '{$numberDecimal: \"-0E+10\"}'",
    "'{$numberDouble: \"NaN\"}', '{$numberDecimal: \"-NaN\"}'",
    "'{$numberDouble: \"Infinity\"}', '{$numberDecimal: \"Infinity\"}'",
    "'\"a\"', '{$symbol: \"a\"}'",
    "'{a: [1, 2.0]}', '{a: [1.0, 2]}'"
  })
  void valuesThatCompareEqualHashEqual(String left, String right) {
    assertThat(hash(left)).isEqualTo(hash(right));
  }

  @Test
  void randomValuesHashEqualIfAndNearlyOnlyIfTheyCompareEqual() {
    var values = new RandomValues(new Random(1));
    for (int i = 0; i < 20_000; i++) {
      var left = values.value(2);
      var right = values.value(2);
      if (BsonOrder.CANONICAL.areEqual(left, right)) {
        assertThat(of(left)).as("%s, %s", left, right).isEqualTo(of(right));
      } else if (!left.isNumber() && !left.isDocument() && !left.isArray()) {
        assertThat(of(left)).as("%s, %s", left, right).isNotEqualTo(of(right));
      }
    }
  }

  @Test
  void keysStringsAndBytesOrderAlike() {
    var values = new RandomValues(new Random(2));
    for (int i = 0; i < 5_000; i++) {
      var left = of(values.value(1));
      var right = of(values.value(1));
      int expected = Integer.signum(left.compareTo(right));
      assertThat(Integer.signum(left.toString().compareTo(right.toString()))).isEqualTo(expected);
      int bytes = Arrays.compareUnsigned(left.toByteArray(), right.toByteArray());
      assertThat(Integer.signum(bytes)).isEqualTo(expected);
      assertThat(left).isBetween(EffectivePartitionKey.MIN, EffectivePartitionKey.MAX);
      assertThat(EffectivePartitionKey.parse(left.toString())).isEqualTo(left);
      assertThat(EffectivePartitionKey.ofBytes(left.toByteArray(), 0)).isEqualTo(left);
    }
  }

  @Test
  void evenBoundariesAreFractionsOfTheLargestKey() {
    assertThat(EffectivePartitionKey.evenBoundaries(1)).isEmpty();
    assertThat(EffectivePartitionKey.evenBoundaries(2))
        .map(Object::toString)
        .containsExactly("1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF");
    assertThat(EffectivePartitionKey.evenBoundaries(3))
        .map(Object::toString)
        .containsExactly("15555555555555555555555555555555", "2AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    assertThat(EffectivePartitionKey.evenBoundaries(100)).hasSize(99).isSorted();
  }

  @Test
  void theMiddleLiesHalfway() {
    assertThat(EffectivePartitionKey.middle(EffectivePartitionKey.MIN, EffectivePartitionKey.MAX))
        .isEqualTo(EffectivePartitionKey.evenBoundaries(2).get(0));
  }

  @Test
  void keysBeyondTheSpaceAreRefused() {
    assertThatThrownBy(() -> EffectivePartitionKey.parse("4" + "0".repeat(31)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> EffectivePartitionKey.parse("FF"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static String hash(String json) {
    return of(BsonDocument.parse("{v: " + json + "}").get("v")).toString();
  }

  private static EffectivePartitionKey of(BsonValue value) {
    return EffectivePartitionKey.of(RawValue.of(value));
  }
}
