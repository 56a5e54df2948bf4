package dev.orrery.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.junit.jupiter.api.Test;

final class RawDocumentTest {
  private static final String EVERY_TYPE =
      """
      {"double": {"$numberDouble": "-0.0"}, "string": "é\\u0000日本😀", "document": {"a": {"b": []}},
       "array": [1, [2, {"x": null}]], "binary": {"$binary": {"base64": "AQID", "subType": "80"}},
       "undefined": {"$undefined": true}, "id": {"$oid": "5f0000000000000000000001"},
       "boolean": true, "date": {"$date": {"$numberLong": "-1"}}, "null": null,
       "regex": {"$regularExpression": {"pattern": "^é", "options": "im"}},
       "pointer": {"$dbPointer": {"$ref": "a.b", "$id": {"$oid": "5f0000000000000000000002"}}},
       "code": {"$code": "f()"}, "symbol": {"$symbol": "s"},
       "scoped": {"$code": "g()", "$scope": {"x": 1}}, "int": 7,
       "timestamp": {"$timestamp": {"t": 4294967295, "i": 1}},
       "long": {"$numberLong": "-9223372036854775808"},
       "decimal": {"$numberDecimal": "1.20E-3"}, "min": {"$minKey": 1}, "max": {"$maxKey": 1},
       "é": "name beyond ASCII", "": "empty name"}
      """;

  @Test
  void encodesAndDecodesEveryTypeAsTheBsonLibraryDoes() {
    var document = BsonDocument.parse(EVERY_TYPE);
    var expected = new RawBsonDocument(document, new BsonDocumentCodec()).getByteBuffer().asNIO();
    byte[] expectedBytes = new byte[expected.remaining()];
    expected.get(expectedBytes);

    var raw = RawDocument.of(document);

    assertThat(raw.toByteArray()).isEqualTo(expectedBytes);
    assertThat(raw.toBsonDocument()).isEqualTo(document);
    assertThat(RawDocument.of(raw.asRawBson()).toByteArray()).isEqualTo(expectedBytes);
  }

  @Test
  void findsFieldsByNameAndTellsMissingFromNull() {
    var raw = RawDocument.of(BsonDocument.parse(EVERY_TYPE));

    assertThat(raw.field("int").asInt32()).isEqualTo(7);
    assertThat(raw.field("é").asString()).isEqualTo("name beyond ASCII");
    assertThat(raw.field("null").type()).isEqualTo(RawTypes.NULL);
    assertThat(raw.field("absent")).isNull();
    assertThat(raw.field("array").asDocument().toValues()).hasSize(2);
  }

  @Test
  void aSliceOfALargerArrayReadsLikeADocumentOfItsOwn() {
    byte[] bytes = RawDocument.of(BsonDocument.parse("{a: 1, b: 'x'}")).toByteArray();
    byte[] larger = new byte[bytes.length + 20];
    System.arraycopy(bytes, 0, larger, 9, bytes.length);

    var slice = RawDocument.wrap(larger, 9, bytes.length);

    assertThat(slice.field("b").asString()).isEqualTo("x");
    assertThat(slice.compact().bytes()).isEqualTo(bytes);
    assertThat(slice).isEqualTo(RawDocument.wrap(bytes));
  }

  /** Names are scanned eight bytes at a time; where they begin and end must not matter. */
  @Test
  void findsNamesOfAnyLengthAnywhere() {
    for (int length = 0; length <= 20; length++) {
      String name = "\u0001".repeat(length); // next to zero: what a careless scan takes for the end
      var document = new BsonDocument(name, new BsonInt32(length)).append("z", BsonNull.VALUE);
      byte[] bytes = RawDocument.of(document).toByteArray();
      for (int room = 0; room <= Long.BYTES; room++) {
        byte[] larger = Arrays.copyOf(bytes, bytes.length + room);
        Arrays.fill(larger, bytes.length, larger.length, (byte) 1);

        var raw = RawDocument.wrap(larger, 0, bytes.length);

        assertThat(raw.toBsonDocument()).isEqualTo(document);
        assertThat(raw.field(name).asInt32()).isEqualTo(length);
        assertThat(raw.field("z").type()).isEqualTo(RawTypes.NULL);
      }
    }
  }
}
