package dev.orrery.language.error;

import static org.assertj.core.api.Assertions.assertThat;

import org.bson.BsonBinary;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonMinKey;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.junit.jupiter.api.Test;

class BsonTextTest {
  private static BsonDocument json(String json) {
    return BsonDocument.parse(json);
  }

  @Test
  void aStoredDocumentHasSpacesInsideItsBraces() {
    assertThat(BsonText.document(json("{k: 1, v: 'x', l: [1, 2.5], e: {}, a: []}")))
        .isEqualTo("{ k: 1, v: \"x\", l: [ 1, 2.5 ], e: {}, a: [] }");
  }

  @Test
  void anAggregatedDocumentHasNoSpacesInsideItsBraces() {
    assertThat(BsonText.aggregated(json("{_id: 1, a: ['x', {b: null}], e: {}}")))
        .isEqualTo("{_id: 1, a: [\"x\", {b: null}], e: {}}");
  }

  @Test
  void anUpdateShowsAnElementInBraces() {
    assertThat(BsonText.bracedElement("objs", json("{v: [{k: 1}]}").get("v")))
        .isEqualTo("{objs: [ { k: 1 } ]}");
  }

  @Test
  void wholeDoublesGetAPointOnlyWhenStored() {
    assertThat(BsonText.stored(new BsonDouble(1))).isEqualTo("1.0");
    assertThat(BsonText.stored(new BsonDouble(1e300))).isEqualTo("1e+300.0");
    assertThat(BsonText.aggregated(new BsonDouble(1))).isEqualTo("1");
    assertThat(BsonText.aggregated(new BsonDouble(1234567.5))).isEqualTo("1.23457e+06");
  }

  @Test
  void datesBinariesAndTimestampsDifferByDialect() {
    assertThat(BsonText.stored(new BsonDateTime(0))).isEqualTo("new Date(0)");
    assertThat(BsonText.aggregated(new BsonDateTime(0))).isEqualTo("1970-01-01T00:00:00.000Z");
    var binary = new BsonBinary(new byte[] {1, (byte) 0xab});
    assertThat(BsonText.stored(binary)).isEqualTo("BinData(0, 01AB)");
    assertThat(BsonText.aggregated(binary)).isEqualTo("BinData(0, \"01AB\")");
    assertThat(BsonText.stored(new BsonTimestamp(5, 3))).isEqualTo("Timestamp(5, 3)");
  }

  @Test
  void longStringsAreCut() {
    String text = BsonText.stored(new BsonString("x".repeat(200)));
    assertThat(text).isEqualTo('"' + "x".repeat(150) + "...\"");
    assertThat(BsonText.stored(new BsonString("x".repeat(159)))).hasSize(161);
  }

  @Test
  void typesAndMissingHaveNames() {
    assertThat(BsonText.typeName((org.bson.BsonValue) null)).isEqualTo("missing");
    assertThat(BsonText.typeName(new BsonMinKey())).isEqualTo("minKey");
    assertThat(BsonText.aggregated(null)).isEqualTo("MISSING");
    assertThat(BsonText.typedNumber(new BsonInt32(5))).isEqualTo("(NumberInt)5");
    assertThat(BsonText.typedNumber(new BsonInt64(5))).isEqualTo("(NumberLong)5");
  }

  @Test
  void doublesReadAsInC() {
    assertThat(DoubleText.digits(0.1, 17)).isEqualTo("0.10000000000000001");
    assertThat(DoubleText.brief(9.223372036854775807e18)).isEqualTo("9.22337e+18");
    assertThat(DoubleText.brief(1e-7)).isEqualTo("1e-07");
    assertThat(DoubleText.brief(-0.0)).isEqualTo("-0");
    assertThat(DoubleText.brief(100000)).isEqualTo("100000");
    assertThat(DoubleText.brief(1000000)).isEqualTo("1e+06");
  }
}
