package dev.orrery.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects, raw bytes and encoded keys tell one and the same order, for random values. */
class KeyEncoderPropertyTest {
  private static final int PAIRS = 40_000;

  /** A stand-in for a collation that knows no case. */
  private static final StringOrder CASELESS =
      new StringOrder() {
        @Override
        public int compare(String left, String right) {
          return StringOrder.UTF8.compare(fold(left), fold(right));
        }

        @Override
        public byte[] sortKey(String text) {
          return fold(text).getBytes(StandardCharsets.UTF_8);
        }

        private String fold(String text) {
          return text.toLowerCase(Locale.ROOT);
        }
      };

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void keysOrderAsValuesOfAllTypesDo(long seed) {
    var values = new RandomValues(new Random(seed));
    for (int i = 0; i < PAIRS; i++) {
      checkPair(values.value(3), values.value(3), BsonOrder.CANONICAL);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 5, 6})
  void keysOrderAsNumbersDo(long seed) {
    var values = new RandomValues(new Random(seed));
    for (int i = 0; i < PAIRS; i++) {
      checkPair(values.number(), values.number(), BsonOrder.CANONICAL);
    }
  }

  @Test
  void keysOrderAsDocumentsDo() {
    var values = new RandomValues(new Random(7));
    for (int i = 0; i < PAIRS; i++) {
      checkPair(values.document(2), values.document(2), BsonOrder.CANONICAL);
    }
  }

  @Test
  void keysOrderAsACollationSays() {
    var values = new RandomValues(new Random(8));
    var order = BsonOrder.with(CASELESS);
    for (int i = 0; i < PAIRS; i++) {
      checkPair(values.value(2), values.value(2), order);
    }
  }

  @Test
  void neighboursInOrderAreTransitive() {
    var values = new RandomValues(new Random(9));
    var sorted = new ArrayList<BsonValue>();
    for (int i = 0; i < 1_500; i++) {
      sorted.add(i % 2 == 0 ? values.number() : values.value(2));
    }
    sorted.sort(BsonOrder.CANONICAL); // throws on most contradictions by itself
    for (int i = 0; i < sorted.size(); i++) {
      for (int j = i; j < sorted.size(); j++) {
        assertThat(BsonOrder.CANONICAL.compare(sorted.get(i), sorted.get(j)))
            .as("%s, %s", sorted.get(i), sorted.get(j))
            .isLessThanOrEqualTo(0);
      }
    }
  }

  @Test
  void compoundKeysOrderFieldByFieldInTheirDirections() {
    var random = new Random(10);
    var values = new RandomValues(random);
    for (int i = 0; i < PAIRS; i++) {
      boolean[] isDescending = {random.nextBoolean(), random.nextBoolean(), random.nextBoolean()};
      var left = List.of(values.value(1), values.number(), values.value(0));
      var right = new ArrayList<>(List.of(values.value(1), values.number(), values.value(0)));
      for (int field = 0; field < 2 && random.nextBoolean(); field++) {
        right.set(field, left.get(field)); // else the first field nearly always decides
      }
      int expected = 0;
      for (int field = 0; field < 3 && expected == 0; field++) {
        int sign = BsonOrder.CANONICAL.compare(left.get(field), right.get(field));
        expected = Integer.signum(isDescending[field] ? -sign : sign);
      }
      int actual = Arrays.compareUnsigned(key(left, isDescending), key(right, isDescending));
      assertThat(Integer.signum(actual)).as("%s, %s", left, right).isEqualTo(expected);
    }
  }

  private static byte[] key(List<BsonValue> values, boolean[] isDescending) {
    var encoder = new KeyEncoder();
    for (int i = 0; i < values.size(); i++) {
      encoder.append(values.get(i), isDescending[i]);
    }
    return encoder.toByteArray();
  }

  @Test
  void bracketBoundsEncloseExactlyTheirBracket() {
    var values = new RandomValues(new Random(11));
    for (int i = 0; i < PAIRS; i++) {
      var value = values.value(1);
      int bracket = BsonOrder.canonicalType(values.value(0));
      for (boolean isDescending : new boolean[] {false, true}) {
        byte[] key = new KeyEncoder().append(value, isDescending).toByteArray();
        byte[] low = new KeyEncoder().appendBracketLow(bracket, isDescending).toByteArray();
        byte[] high = new KeyEncoder().appendBracketHigh(bracket, isDescending).toByteArray();
        int sign = isDescending ? -1 : 1;
        boolean isInside =
            sign * Arrays.compareUnsigned(low, key) < 0
                && sign * Arrays.compareUnsigned(key, high) < 0;
        assertThat(isInside)
            .as("%s in %s", value, bracket)
            .isEqualTo(BsonOrder.canonicalType(value) == bracket);
      }
    }
  }

  private static void checkPair(BsonValue left, BsonValue right, BsonOrder order) {
    int expected = Integer.signum(order.compare(left, right));
    var rawLeft = inside(left);
    var rawRight = inside(right);
    assertSign(left, right, order.compare(right, left), -expected);
    assertSign(left, right, order.compare(rawLeft, rawRight), expected);
    assertSign(left, right, order.compare(rawRight, rawLeft), -expected);
    for (boolean isDescending : new boolean[] {false, true}) {
      byte[] leftKey = key(rawLeft, isDescending, order);
      byte[] rightKey = key(rawRight, isDescending, order);
      int actual = Arrays.compareUnsigned(leftKey, rightKey);
      assertSign(left, right, isDescending ? -actual : actual, expected);
      assertThat(leftKey.length <= rightKey.length && startsWith(rightKey, leftKey))
          .as("%s is a prefix of %s", left, right)
          .isEqualTo(expected == 0);
    }
    var leftHashed = BsonKey.of(left, order);
    var rightHashed = BsonKey.of(right, order);
    assertThat(leftHashed.equals(rightHashed)).as("%s, %s", left, right).isEqualTo(expected == 0);
    assertThat(BsonKey.of(rawLeft.toBsonValue(), order)).isEqualTo(leftHashed);
  }

  private static void assertSign(BsonValue left, BsonValue right, int actual, int expected) {
    if (Integer.signum(actual) != expected) { // building the description is the slow part
      assertThat(Integer.signum(actual)).as("%s, %s", left, right).isEqualTo(expected);
    }
  }

  private static boolean startsWith(byte[] key, byte[] prefix) {
    return Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
  }

  private static byte[] key(RawValue value, boolean isDescending, BsonOrder order) {
    return new KeyEncoder(order.strings()).append(value, isDescending).toByteArray();
  }

  /** The value where it normally is: somewhere inside the bytes of a document. */
  private static RawValue inside(BsonValue value) {
    return RawDocument.of(new BsonDocument("x", value)).field("x");
  }
}
