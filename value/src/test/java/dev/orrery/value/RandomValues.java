package dev.orrery.value;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.List;
import java.util.random.RandomGenerator;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDbPointer;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonJavaScript;
import org.bson.BsonJavaScriptWithScope;
import org.bson.BsonMaxKey;
import org.bson.BsonMinKey;
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonSymbol;
import org.bson.BsonTimestamp;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;

/**
 * Random BSON values of all types, dense around the edges: few names and short texts so that
 * neighbours are common, and numbers that lie close together across types.
 */
public final class RandomValues {
  private static final List<String> NAMES = List.of("", "a", "b", "aa", "é", "\uD83D\uDE00", "0");
  private static final List<String> TEXT_PARTS =
      List.of("", "a", "b", "A", "\0", "\1", "\2", "é", "\uFFFD", "\uD83D\uDE00", "z");
  private static final long[] WHOLE_EDGES = {
    0,
    1,
    63,
    64,
    127,
    128,
    255,
    256,
    1L << 24,
    Integer.MAX_VALUE,
    1L << 52,
    1L << 53,
    1L << 54,
    1L << 62,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };
  private static final double[] DOUBLE_EDGES = {
    0.0,
    -0.0,
    Double.MIN_VALUE,
    Double.MIN_NORMAL,
    Double.MAX_VALUE,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Double.NaN,
    Double.longBitsToDouble(0x7FF8000000000123L),
    Double.longBitsToDouble(0xFFF8000000000456L),
    0x1p53,
    0x1p63,
    0x1p64,
    0.1,
    0.5,
    1.5
  };
  private static final List<String> DECIMAL_EDGES =
      List.of(
          "0",
          "-0",
          "0E+6000",
          "-0E-6176",
          "NaN",
          "-NaN",
          "Infinity",
          "-Infinity",
          "1E-6176",
          "9.999999999999999999999999999999999E+6144",
          "0.1",
          "0.10",
          "1.5",
          "5",
          "5.00",
          "9223372036854775807",
          "9223372036854775807.5",
          "9223372036854775808",
          "9007199254740993",
          "1E+309",
          "1.797693134862315708145274237317044E+308",
          "4.940656458412465441765687928682213E-324",
          "4.9E-324",
          "1E-325");

  private final RandomGenerator random;

  public RandomValues(RandomGenerator random) {
    this.random = random;
  }

  /** A value of any type, nested at most {@code depth} times. */
  public BsonValue value(int depth) {
    int kind = random.nextInt(depth > 0 ? 24 : 20);
    return switch (kind) {
      case 0, 1, 2, 3, 4, 5 -> number();
      case 6, 7 -> new BsonString(text());
      case 8 -> new BsonSymbol(text());
      case 9 -> binary();
      case 10 -> new BsonObjectId(objectId());
      case 11 -> BsonBoolean.valueOf(random.nextBoolean());
      case 12 -> new BsonDateTime(whole());
      case 13 -> new BsonTimestamp(whole());
      case 14 -> new BsonRegularExpression(plainText(), pick(List.of("", "i", "im", "x")));
      case 15 -> new BsonDbPointer(plainText(), objectId());
      case 16 -> new BsonJavaScript(text());
      case 17 -> new BsonJavaScriptWithScope(text(), document(0));
      case 18 -> pick(List.of(BsonNull.VALUE, new BsonUndefined()));
      case 19 -> pick(List.of(new BsonMinKey(), new BsonMaxKey()));
      case 20, 21 -> document(depth - 1);
      default -> array(depth - 1);
    };
  }

  public BsonDocument document(int depth) {
    var document = new BsonDocument();
    for (int i = random.nextInt(4); i > 0; i--) {
      document.append(pick(NAMES), value(depth));
    }
    return document;
  }

  private BsonArray array(int depth) {
    var array = new BsonArray();
    for (int i = random.nextInt(4); i > 0; i--) {
      array.add(value(depth));
    }
    return array;
  }

  /** A number of any type. */
  public BsonValue number() {
    return switch (random.nextInt(4)) {
      case 0 -> new BsonInt32((int) whole());
      case 1 -> new BsonInt64(whole());
      case 2 -> new BsonDouble(doubleValue());
      default -> new BsonDecimal128(decimal());
    };
  }

  private long whole() {
    long edge = WHOLE_EDGES[random.nextInt(WHOLE_EDGES.length)];
    return switch (random.nextInt(4)) {
      case 0 -> random.nextInt(-5, 6);
      case 1 -> random.nextLong() >> random.nextInt(64);
      case 2 -> edge + random.nextInt(-2, 3);
      default -> -edge + random.nextInt(-2, 3);
    };
  }

  private double doubleValue() {
    double edge = DOUBLE_EDGES[random.nextInt(DOUBLE_EDGES.length)];
    return switch (random.nextInt(6)) {
      case 0 -> random.nextInt(-40, 41) / 8.0;
      case 1 -> (double) whole();
      case 2 -> edge;
      case 3 -> random.nextBoolean() ? Math.nextUp(edge) : Math.nextDown(-edge);
      case 4 -> Double.longBitsToDouble(random.nextLong());
      default -> random.nextInt(-40, 41) / 10.0;
    };
  }

  private Decimal128 decimal() {
    return switch (random.nextInt(6)) {
      case 0 -> Decimal128.parse(pick(DECIMAL_EDGES));
      case 1 -> new Decimal128(BigDecimal.valueOf(random.nextInt(-400, 401), random.nextInt(4)));
      case 2 -> new Decimal128(whole());
      case 3 -> nearDouble();
      case 4 ->
          new Decimal128(
              new BigDecimal(
                  new BigInteger(random.nextInt(1, 113), new java.util.Random(random.nextLong())),
                  random.nextInt(-6100, 6170),
                  MathContext.DECIMAL128));
      default ->
          new Decimal128(
              BigDecimal.valueOf(whole())
                  .add(BigDecimal.valueOf(random.nextInt(-2, 3), random.nextInt(1, 12))));
    };
  }

  /** The decimal of 34 digits next to a double, or the double itself if it has so few digits. */
  private Decimal128 nearDouble() {
    double base = doubleValue();
    if (Double.isNaN(base) || Double.isInfinite(base)) {
      return Decimal128.POSITIVE_INFINITY;
    }
    return new Decimal128(new BigDecimal(base).round(MathContext.DECIMAL128));
  }

  private BsonBinary binary() {
    byte[] data = new byte[random.nextInt(10) == 0 ? random.nextInt(250, 260) : random.nextInt(4)];
    random.nextBytes(data);
    return new BsonBinary((byte) pick(List.of(0, 4, 5, 0x80)).intValue(), data);
  }

  private ObjectId objectId() {
    byte[] bytes = new byte[12];
    for (int i = 0; i < 12; i++) {
      bytes[i] = (byte) (random.nextInt(20) == 0 ? random.nextInt(256) : 0x7F);
    }
    return new ObjectId(bytes);
  }

  private String text() {
    var text = new StringBuilder();
    for (int i = random.nextInt(4); i > 0; i--) {
      text.append(pick(TEXT_PARTS));
    }
    return text.toString();
  }

  private String plainText() {
    return text().replace("\0", "");
  }

  private <T> T pick(List<? extends T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
