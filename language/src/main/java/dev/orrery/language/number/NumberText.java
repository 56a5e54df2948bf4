package dev.orrery.language.number;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.Locale;
import java.util.regex.Pattern;
import org.bson.BsonDecimal128;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonValue;
import org.bson.types.Decimal128;

/** Numbers read from strings and written to them, for {@code $convert}. */
public final class NumberText {
  private static final Pattern FINITE =
      Pattern.compile("[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?");
  private static final Pattern HEX =
      Pattern.compile(
          "[+-]?0[xX](?:[0-9a-fA-F]+\\.?[0-9a-fA-F]*|\\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?");
  private static final Pattern SPECIAL =
      Pattern.compile("([+-]?)(inf|infinity|nan)", Pattern.CASE_INSENSITIVE);
  private static final int LONG_DIGITS_MAX = 19;
  private static final int EXPONENT_MAX = 6144;
  private static final int EXPONENT_MIN = -6176;

  private NumberText() {}

  private static CommandException failed(String text, String reason) {
    return new CommandException(
        ErrorCode.CONVERSION_FAILURE,
        String.format(
            "Failed to parse number '%s' in $convert with no onError value: %s", text, reason));
  }

  private static void refuseHex(String text) {
    if (text.startsWith("0x")) {
      throw new CommandException(
          ErrorCode.CONVERSION_FAILURE,
          "Illegal hexadecimal input in $convert with no onError value: " + text);
    }
  }

  public static BsonValue toInt(String text) {
    BigInteger value = whole(text);
    if (value.bitLength() >= Integer.SIZE) {
      throw failed(text, "Overflow");
    }
    return new BsonInt32(value.intValue());
  }

  public static BsonValue toLong(String text) {
    BigInteger value = whole(text);
    if (value.bitLength() >= Long.SIZE) {
      throw failed(text, "Overflow");
    }
    return new BsonInt64(value.longValue());
  }

  private static BigInteger whole(String text) {
    refuseHex(text);
    boolean hasSign = text.startsWith("+") || text.startsWith("-");
    String digits = hasSign ? text.substring(1) : text;
    if (digits.isEmpty()) {
      throw failed(text, "No digits");
    }
    for (int i = 0; i < digits.length(); i++) {
      if (digits.charAt(i) < '0' || digits.charAt(i) > '9') {
        throw failed(text, "Did not consume whole string.");
      }
    }
    int start = 0;
    while (start < digits.length() - 1 && digits.charAt(start) == '0') {
      start++;
    }
    if (digits.length() - start > LONG_DIGITS_MAX) {
      throw failed(text, "Overflow"); // before a time that grows with the square of the length
    }
    BigInteger magnitude = new BigInteger(digits.substring(start));
    return text.startsWith("-") ? magnitude.negate() : magnitude;
  }

  public static BsonValue toDouble(String text) {
    refuseHex(text);
    requireStart(text);
    var special = SPECIAL.matcher(text);
    if (special.matches()) {
      double value =
          special.group(2).equalsIgnoreCase("nan") ? Double.NaN : Double.POSITIVE_INFINITY;
      return new BsonDouble(special.group(1).equals("-") ? -value : value);
    }
    if (FINITE.matcher(text).matches()) {
      return new BsonDouble(requireRange(text, NumberDigits.few(text)));
    }
    if (HEX.matcher(text).matches()) {
      boolean hasExponent = text.toLowerCase(Locale.ROOT).indexOf('p') >= 0;
      return new BsonDouble(Double.parseDouble(hasExponent ? text : text + "p0"));
    }
    throw failed(
        text,
        FINITE.matcher(text).lookingAt() || SPECIAL.matcher(text).lookingAt()
            ? "Did not consume whole string."
            : "Did not consume any digits");
  }

  private static void requireStart(String text) {
    if (text.isEmpty()) {
      throw failed(text, "Empty string");
    }
    if (" \t\n\u000b\f\r".indexOf(text.charAt(0)) >= 0) {
      throw failed(text, "Leading whitespace");
    }
  }

  /** C's strtod complains about what is too large and what is too small to be exact. */
  private static double requireRange(String text, String few) {
    double value = Double.parseDouble(few);
    boolean isTiny = Math.abs(value) < Double.MIN_NORMAL && new BigDecimal(few).signum() != 0;
    if (Double.isInfinite(value) || isTiny) {
      throw failed(text, "Out of range");
    }
    return value;
  }

  public static BsonValue toDecimal(String text) {
    refuseHex(text);
    requireStart(text);
    var special = SPECIAL.matcher(text);
    if (special.matches()) {
      return new BsonDecimal128(
          special.group(2).equalsIgnoreCase("nan")
              ? Decimal128.NaN
              : Decimals.infinity(special.group(1).equals("-")));
    }
    if (!FINITE.matcher(text).matches()) {
      throw failed(text, "Failed to parse string to decimal");
    }
    BigDecimal exact;
    try {
      exact = new BigDecimal(NumberDigits.few(text));
    } catch (NumberFormatException e) {
      throw failed(text, "Conversion from string to decimal would overflow");
    }
    int exponent = exact.precision() - exact.scale() - 1;
    if (exact.signum() != 0 && exponent > EXPONENT_MAX) {
      throw failed(text, "Conversion from string to decimal would overflow");
    }
    if (exact.signum() != 0 && exponent < EXPONENT_MIN) {
      throw failed(text, "Conversion from string to decimal would underflow");
    }
    Decimal128 value = Decimals.of(exact);
    boolean isNegativeZero = exact.signum() == 0 && text.startsWith("-");
    return new BsonDecimal128(isNegativeZero ? Decimals.negate(value) : value);
  }

  /** The fewest digits that read back as the same double, from 1e+16 on with an exponent. */
  public static String shortest(double value) {
    if (Double.isNaN(value)) {
      return "NaN";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "Infinity" : "-Infinity";
    }
    if (value == 0) {
      return 1 / value < 0 ? "-0" : "0";
    }
    BigDecimal digits = shortestDigits(value).stripTrailingZeros();
    int exponent = digits.precision() - digits.scale() - 1;
    if (exponent >= -4 && exponent < 16) {
      return digits.toPlainString();
    }
    String all = digits.unscaledValue().abs().toString();
    String fraction = all.length() > 1 ? "." + all.substring(1) : "";
    return String.format(
        Locale.ROOT,
        "%s%c%se%c%02d",
        value < 0 ? "-" : "",
        all.charAt(0),
        fraction,
        exponent < 0 ? '-' : '+',
        Math.abs(exponent));
  }

  /** Double.toString is not always shortest before JDK 19, so shorter roundings are tried. */
  private static BigDecimal shortestDigits(double value) {
    BigDecimal best = new BigDecimal(Double.toString(value));
    for (int digits = best.precision() - 1; digits > 0; digits--) {
      BigDecimal shorter = new BigDecimal(value).round(new MathContext(digits));
      if (shorter.doubleValue() != value) {
        break;
      }
      best = shorter;
    }
    return best;
  }
}
