package dev.orrery.language.error;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Doubles as C's {@code printf("%.<digits>g")} writes them, which is how MongoDB prints most. */
public final class DoubleText {
  private DoubleText() {}

  /** Six digits, as a C++ stream prints a double by default: 9.22337e+18. */
  public static String brief(double value) {
    return digits(value, 6);
  }

  /** At most {@code precision} significant digits, no trailing zeros. */
  public static String digits(double value, int precision) {
    if (Double.isNaN(value)) {
      return "nan";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "inf" : "-inf";
    }
    if (value == 0) {
      return 1 / value < 0 ? "-0" : "0";
    }
    var rounded =
        new BigDecimal(value)
            .round(new MathContext(precision, RoundingMode.HALF_EVEN))
            .stripTrailingZeros();
    int exponent = rounded.precision() - rounded.scale() - 1;
    if (exponent >= -4 && exponent < precision) {
      return rounded.toPlainString();
    }
    return scientific(rounded, exponent);
  }

  private static String scientific(BigDecimal value, int exponent) {
    String all = value.unscaledValue().abs().toString();
    var text = new StringBuilder(value.signum() < 0 ? "-" : "").append(all.charAt(0));
    if (all.length() > 1) {
      text.append('.').append(all, 1, all.length());
    }
    text.append('e').append(exponent < 0 ? '-' : '+');
    int magnitude = Math.abs(exponent);
    return text.append(magnitude < 10 ? "0" : "").append(magnitude).toString();
  }
}
