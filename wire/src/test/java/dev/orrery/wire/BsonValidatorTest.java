package dev.orrery.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.value.LittleEndian;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BsonValidatorTest {
  private static final String EVERY_TYPE =
      """
      {double: 1.5, string: 'h\u00e9\u20ac\ud83d\ude00', nul: 'a\\u0000b',
       doc: {a: {b: {}}}, array: [1, [2, []]],
       binary: {$binary: {base64: 'AQID', subType: '00'}},
       old: {$binary: {base64: 'AQID', subType: '02'}}, undefined: {$undefined: true},
       oid: {$oid: '0123456789abcdef01234567'}, bool: true, not: false,
       date: {$date: {$numberLong: '1'}}, null: null,
       regex: {$regularExpression: {pattern: 'p\u00e4', options: 'i'}},
       pointer: {'$dbPointer': {'$ref': 'd.c', '$id': {'$oid': '0123456789abcdef01234567'}}},
       code: {$code: 'f()'}, symbol: {$symbol: 's'}, scoped: {$code: 'g()', $scope: {x: {y: 1}}},
       int: {$numberInt: '1'}, timestamp: {$timestamp: {t: 1, i: 2}}, long: {$numberLong: '3'},
       decimal: {$numberDecimal: '1.10'}, min: {$minKey: 1}, max: {$maxKey: 1}, '': 0}
      """;

  private final BsonValidator validator = new BsonValidator();

  @Test
  void everyTypeIsAccepted() {
    byte[] document = Frames.document(EVERY_TYPE);
    assertThat(validator.validate(document, 0, document.length)).isEqualTo(document.length);
  }

  @Test
  void aDocumentEndsWhereItSays() {
    byte[] document = Frames.bytes().int8(99).json("{a: 1}").raw(new byte[10]).build();
    assertThat(validator.validate(document, 1, document.length)).isEqualTo(13);
  }

  @Test
  void everyTruncationIsRefused() {
    byte[] document = Frames.document(EVERY_TYPE);
    for (int length = 0; length < document.length; length++) {
      assertInvalid(Arrays.copyOf(document, length), "");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 4, 13, Integer.MAX_VALUE})
  void aDocumentLengthThatLiesIsRefused(int length) {
    byte[] document = Frames.document("{a: 1}");
    LittleEndian.putInt32(document, 0, length);
    assertInvalid(document, "a document has the length " + length);
  }

  @Test
  void aDocumentThatEndsTooSoonIsRefused() {
    assertInvalid(Frames.bytes().int32(6).int8(0).int8(0).build(), "ends before its length");
    assertInvalid(Frames.bytes().int32(5).int8(1).build(), "does not end with a zero byte");
  }

  @ParameterizedTest
  @ValueSource(ints = {0x14, 0x15, 0x40, 0x7e, 0x80, 0xfe})
  void unknownTypesAreRefused(int type) {
    assertInvalid(element(type, new byte[20]), "unknown BSON type " + type);
  }

  @Test
  void aBooleanIsZeroOrOne() {
    assertInvalid(element(8, new byte[] {2}), "boolean");
    assertInvalid(element(8, new byte[] {-1}), "boolean");
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 4, Integer.MAX_VALUE})
  void aStringLengthThatLiesIsRefused(int length) {
    for (int type : new int[] {0x02, 0x0c, 0x0d, 0x0e}) {
      assertInvalid(element(type, Frames.bytes().int32(length).cstring("ab").build()), "string");
    }
  }

  @Test
  void aStringEndsWithAZeroByte() {
    byte[] value = Frames.bytes().int32(2).raw((byte) 'a', (byte) 'b').build();
    assertInvalid(element(2, value), "a string does not end with a zero byte");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "80",
        "bf",
        "c0 80",
        "c1 bf",
        "c3",
        "c3 28",
        "e0 80 80",
        "e0 9f bf",
        "e2 82",
        "e2 28 a1",
        "ed a0 80",
        "ed bf bf",
        "f0 80 80 80",
        "f0 8f bf bf",
        "f0 9f 98",
        "f0 9f 28 80",
        "f4 90 80 80",
        "f5 80 80 80",
        "ff",
        "fe",
        "61 62 63 64 65 66 67 68 ff"
      })
  void malformedUtf8IsRefusedInStringsAndNames(String hex) {
    byte[] text = hex(hex);
    var string = Frames.bytes().int32(text.length + 1).raw(text).int8(0).build();
    assertInvalid(element(2, string), "UTF-8");
    var regex = Frames.bytes().raw(text).int8(0).cstring("i").build();
    assertInvalid(element(0x0b, regex), "UTF-8");
    var name = Frames.bytes().int8(0x0a).raw(text).int8(0).build();
    assertInvalid(document(name), "UTF-8");
  }

  @ParameterizedTest
  @ValueSource(ints = {0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff})
  void everyLengthOfUtf8IsAccepted(int codePoint) {
    byte[] text = ("12345678" + Character.toString(codePoint)).getBytes(StandardCharsets.UTF_8);
    byte[] document = element(2, Frames.bytes().int32(text.length + 1).raw(text).int8(0).build());
    assertThat(validator.validate(document, 0, document.length)).isEqualTo(document.length);
  }

  /** Names are scanned eight bytes at a time; where they begin and end must not matter. */
  @Test
  void aBadByteIsFoundAnywhereInANameOfAnyLength() {
    for (int length = 1; length <= 20; length++) {
      for (int room = 0; room <= Long.BYTES; room++) {
        byte[] name = new byte[length];
        Arrays.fill(name, (byte) 1); // next to zero: what a careless scan takes for the end
        byte[] good = document(Frames.bytes().int8(0x0a).raw(name).int8(0).build());
        byte[] withRoom = Arrays.copyOf(good, good.length + room);
        Arrays.fill(withRoom, good.length, withRoom.length, (byte) 0xff);
        assertThat(validator.validate(withRoom, 0, good.length)).isEqualTo(good.length);
        for (int at = 0; at < length; at++) {
          byte[] bad = withRoom.clone();
          bad[Integer.BYTES + 1 + at] = (byte) 0xff;
          assertThatThrownBy(() -> validator.validate(bad, 0, good.length))
              .isInstanceOf(WireException.class)
              .hasMessageContaining("UTF-8");
        }
      }
    }
  }

  @Test
  void aNameMustEndInsideItsDocument() {
    assertInvalid(Frames.bytes().int32(7).int8(0x0a).int8('a').int8(0).build(), "not terminated");
    byte[] regex = Frames.bytes().cstring("p").build();
    assertInvalid(element(0x0b, regex), "not terminated");
  }

  @Test
  void binaryLengthsMustFit() {
    for (int length : new int[] {-1, 2, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      assertInvalid(element(5, Frames.bytes().int32(length).int8(0).int8(1).build()), "binary");
    }
    byte[] innerDiffers = Frames.bytes().int32(5).int8(2).int32(2).int8(1).build();
    assertInvalid(element(5, innerDiffers), "old binary");
    byte[] noInner = Frames.bytes().int32(3).int8(2).raw(new byte[3]).build();
    assertInvalid(element(5, noInner), "old binary");
  }

  @Test
  void codeWithScopeEndsWithItsScope() {
    var code = Frames.bytes().int32(2).cstring("f").json("{}").build();
    int right = code.length + 4;
    byte[] good = element(0x0f, Frames.bytes().int32(right).raw(code).build());
    assertThat(validator.validate(good, 0, good.length)).isEqualTo(good.length);
    for (int wrong : new int[] {-1, 0, 13, right - 1, right + 1, Integer.MAX_VALUE}) {
      assertInvalid(element(0x0f, Frames.bytes().int32(wrong).raw(code).build()), "");
    }
    byte[] padded = Frames.bytes().int32(right + 1).raw(code).int8(0).build();
    assertInvalid(element(0x0f, padded), "does not end with its scope");
  }

  @Test
  void nestingIsBounded() {
    byte[] deepest = nested(WireLimits.NESTING_DEPTH_MAX);
    assertThat(validator.validate(deepest, 0, deepest.length)).isEqualTo(deepest.length);

    assertInvalid(nested(WireLimits.NESTING_DEPTH_MAX + 1), "nested too deeply");
    assertInvalid(nested(1_000_000), "nested too deeply");
  }

  /** Documents inside each other, as many as the depth. */
  private static byte[] nested(int depth) {
    byte[] bytes = new byte[depth * 8 - 3];
    for (int level = 0; level < depth; level++) {
      int at = level * 7;
      LittleEndian.putInt32(bytes, at, bytes.length - level * 8);
      if (level + 1 < depth) {
        bytes[at + 4] = 3;
        bytes[at + 5] = 'a';
      }
    }
    return bytes;
  }

  private static byte[] element(int type, byte[] value) {
    return document(Frames.bytes().int8(type).cstring("k").raw(value).build());
  }

  private static byte[] document(byte[] elements) {
    return Frames.bytes().int32(elements.length + 5).raw(elements).int8(0).build();
  }

  private static byte[] hex(String hex) {
    String[] parts = hex.split(" ");
    byte[] bytes = new byte[parts.length];
    for (int i = 0; i < parts.length; i++) {
      bytes[i] = (byte) Integer.parseInt(parts[i], 16);
    }
    return bytes;
  }

  private void assertInvalid(byte[] document, String reason) {
    assertThatThrownBy(() -> validator.validate(document, 0, document.length))
        .isInstanceOf(WireException.class)
        .hasMessageContaining(reason);
  }
}
