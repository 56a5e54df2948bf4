package dev.orrery.language.number;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.bson.BsonDecimal128;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.junit.jupiter.api.Test;

class NumbersTest {
  private static BsonValue decimal(String text) {
    return new BsonDecimal128(Decimal128.parse(text));
  }

  private static BsonInt32 number(int value) {
    return new BsonInt32(value);
  }

  private static final BsonInt64 LONG_MAX = new BsonInt64(Long.MAX_VALUE);

  @Test
  void theWiderTypeWins() {
    assertThat(Numbers.add(number(1), new BsonInt64(2))).isEqualTo(new BsonInt64(3));
    assertThat(Numbers.add(new BsonInt64(1), new BsonDouble(2))).isEqualTo(new BsonDouble(3));
    assertThat(Numbers.add(number(1), decimal("2.50"))).isEqualTo(decimal("3.50"));
    assertThat(Numbers.multiply(new BsonDouble(2.5), decimal("2")))
        .isEqualTo(decimal("5.00000000000000"));
  }

  @Test
  void anIntThatOverflowsBecomesALong() {
    assertThat(Numbers.add(number(Integer.MAX_VALUE), number(1)))
        .isEqualTo(new BsonInt64(2147483648L));
    assertThat(Numbers.multiplyExact(number(Integer.MIN_VALUE), number(-1)))
        .isEqualTo(new BsonInt64(2147483648L));
  }

  @Test
  void aLongThatOverflowsBecomesADoubleOrIsRefused() {
    assertThat(Numbers.add(LONG_MAX, number(1))).isEqualTo(new BsonDouble(0x1p63));
    assertThat(Numbers.addExact(LONG_MAX, number(1))).isNull();
    assertThat(Numbers.multiply(LONG_MAX, number(2))).isEqualTo(new BsonDouble(0x1p64));
    assertThat(Numbers.multiplyExact(LONG_MAX, number(2))).isNull();
    assertThat(Numbers.multiplyExact(LONG_MAX, number(-1)))
        .isEqualTo(new BsonInt64(-Long.MAX_VALUE));
    assertThat(Numbers.subtract(new BsonInt64(Long.MIN_VALUE), number(1)))
        .isEqualTo(new BsonDouble(-0x1p63));
  }

  @Test
  void wholeNumbersAreRecognisedInEveryType() {
    assertThat(Numbers.isInt(new BsonDouble(3))).isTrue();
    assertThat(Numbers.isInt(new BsonDouble(3.5))).isFalse();
    assertThat(Numbers.isInt(new BsonDouble(0x1p31))).isFalse();
    assertThat(Numbers.isLong(new BsonDouble(0x1p63))).isFalse();
    assertThat(Numbers.isLong(decimal("1E+3"))).isTrue();
    assertThat(Numbers.isLong(decimal("1.50"))).isFalse();
    assertThat(Numbers.isLong(decimal("9223372036854775808"))).isFalse();
    assertThat(Numbers.isLong(decimal("NaN"))).isFalse();
    assertThat(Numbers.isLong(decimal("1E+6000"))).isFalse();
    assertThat(Numbers.isLong(new BsonString("3"))).isFalse();
  }

  @Test
  void decimalsKeepSignsOfZeroAndInfinities() {
    assertThat(Decimals.multiply(Decimal128.NEGATIVE_ZERO, Decimals.of(3L)))
        .isEqualTo(Decimal128.NEGATIVE_ZERO);
    assertThat(Decimals.add(Decimal128.POSITIVE_INFINITY, Decimal128.NEGATIVE_INFINITY))
        .isEqualTo(Decimal128.NaN);
    assertThat(Decimals.multiply(Decimal128.parse("1E+6000"), Decimal128.parse("-1E+6000")))
        .isEqualTo(Decimal128.NEGATIVE_INFINITY);
    assertThat(Decimals.of(-0.0)).isEqualTo(Decimal128.NEGATIVE_ZERO);
    assertThat(Decimals.toDouble(Decimal128.NEGATIVE_ZERO)).isEqualTo(-0.0);
  }

  @Test
  void decimalsRoundTo34DigitsHalfToEven() {
    Decimal128 third = Decimals.divide(Decimals.of(1L), Decimals.of(3L));
    assertThat(third).isEqualTo(Decimal128.parse("0.3333333333333333333333333333333333"));
    assertThat(Decimals.quantize(Decimal128.parse("2.5"), 0, RoundingMode.HALF_EVEN))
        .isEqualTo(Decimal128.parse("2"));
    assertThat(Decimals.of(new BigDecimal("1E-6177"))).isEqualTo(Decimal128.parse("0E-6176"));
    assertThat(Decimals.of(new BigDecimal("1E+6112"))).isEqualTo(Decimal128.parse("1.0E+6112"));
  }

  @Test
  void sumsOfLongsAndDoublesAreExactInAnyOrder() {
    var sum = new NumberSum();
    for (double value : new double[] {1e16, 1, -1e16, 0.5}) {
      sum.add(new BsonDouble(value));
    }
    assertThat(sum.sum()).isEqualTo(new BsonDouble(1.5));

    var longs = new NumberSum();
    longs.add(LONG_MAX);
    longs.add(LONG_MAX);
    longs.add(new BsonInt64(-Long.MAX_VALUE));
    assertThat(longs.sum()).isEqualTo(LONG_MAX);
  }

  @Test
  void mergedSumsAndSpreadsEqualTheWhole() {
    var random = new Random(7);
    var whole = new NumberSum();
    var left = new NumberSum();
    var right = new NumberSum();
    var wholeSpread = new NumberSpread();
    var leftSpread = new NumberSpread();
    var rightSpread = new NumberSpread();
    for (int i = 0; i < 1000; i++) {
      var value = new BsonDouble(random.nextGaussian() * 1000);
      whole.add(value);
      wholeSpread.add(value);
      (i % 3 == 0 ? left : right).add(value);
      (i % 3 == 0 ? leftSpread : rightSpread).add(value);
    }
    left.add(right);
    leftSpread.add(rightSpread);
    assertThat(left.sum()).isEqualTo(whole.sum());
    assertThat(Numbers.toDouble(leftSpread.result(1)))
        .isCloseTo(Numbers.toDouble(wholeSpread.result(1)), offset());
  }

  private static Offset<Double> offset() {
    return Offset.offset(1e-9);
  }

  @Test
  void elementaryFunctionsOfDecimalsAgreeWithThoseOfDoubles() {
    for (double x : new double[] {0.01, 0.5, 0.99, 1, 2.5, 10, 700}) {
      var exact = new BigDecimal(x);
      assertThat(DecimalMath.exp(exact).doubleValue() / Math.exp(x)).isCloseTo(1, offset());
      assertThat(DecimalMath.ln(exact).doubleValue()).isCloseTo(Math.log(x), offset());
      assertThat(DecimalMath.sin(exact).doubleValue()).isCloseTo(Math.sin(x), offset());
      assertThat(DecimalMath.cos(exact).doubleValue()).isCloseTo(Math.cos(x), offset());
      assertThat(DecimalMath.atan(exact).doubleValue()).isCloseTo(Math.atan(x), offset());
      assertThat(DecimalMath.tanh(exact).doubleValue()).isCloseTo(Math.tanh(x), offset());
      assertThat(DecimalMath.sqrt(exact).doubleValue()).isCloseTo(Math.sqrt(x), offset());
    }
    assertThat(DecimalMath.exp(BigDecimal.ONE).toPlainString())
        .startsWith("2.71828182845904523536028747135266249775724");
  }
}
