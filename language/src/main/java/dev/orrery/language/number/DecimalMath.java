package dev.orrery.language.number;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/**
 * Elementary functions of finite decimals, computed with guard digits so that the 34 digits of a
 * decimal128 come out right. Callers deal with NaN, infinities and arguments out of the domain.
 */
public final class DecimalMath {
  private static final MathContext CONTEXT = new MathContext(60, RoundingMode.HALF_EVEN);
  private static final BigDecimal HALF = new BigDecimal("0.5");
  private static final BigDecimal TWO = BigDecimal.valueOf(2);
  private static final BigDecimal TENTH = new BigDecimal("0.1");
  private static final BigDecimal EPSILON = new BigDecimal(BigInteger.ONE, 70);
  private static final BigDecimal LN_10 =
      new BigDecimal(
          "2.3025850929940456840179914546843642076011014886287729760333279009675726096773525");
  static final BigDecimal PI =
      new BigDecimal(
          "3.1415926535897932384626433832795028841971693993751058209749445923078164062862090");
  private static final int PI_DIGITS = 79;
  private static final BigDecimal EXPONENT_MAX = BigDecimal.valueOf(20_000);

  private DecimalMath() {}

  /** e to the power x; null where that is out of the range of decimals. */
  public static @Nullable BigDecimal exp(BigDecimal x) {
    if (x.abs().compareTo(EXPONENT_MAX) > 0) {
      return null;
    }
    int halvings = Math.max(0, x.precision() - x.scale()) * 4 + 6;
    BigDecimal reduced = x.divide(TWO.pow(halvings), CONTEXT);
    BigDecimal term = BigDecimal.ONE;
    BigDecimal sum = BigDecimal.ONE;
    for (int i = 1; term.abs().compareTo(EPSILON) > 0; i++) {
      term = term.multiply(reduced, CONTEXT).divide(BigDecimal.valueOf(i), CONTEXT);
      sum = sum.add(term, CONTEXT);
    }
    for (int i = 0; i < halvings; i++) {
      sum = sum.multiply(sum, CONTEXT);
    }
    return sum;
  }

  /** The natural logarithm of a positive number. */
  public static BigDecimal ln(BigDecimal x) {
    int exponent = x.precision() - x.scale() - 1;
    BigDecimal mantissa = x.movePointLeft(exponent);
    BigDecimal guess = new BigDecimal(Math.log(mantissa.doubleValue()));
    for (int i = 0; i < 2; i++) {
      // Halley's step, which triples the number of right digits.
      BigDecimal power = exp(guess);
      BigDecimal step = mantissa.subtract(power).multiply(TWO).divide(mantissa.add(power), CONTEXT);
      guess = guess.add(step, CONTEXT);
    }
    return guess.add(LN_10.multiply(BigDecimal.valueOf(exponent)), CONTEXT);
  }

  public static BigDecimal log10(BigDecimal x) {
    int exponent = x.precision() - x.scale() - 1;
    BigDecimal mantissa = x.movePointLeft(exponent);
    return mantissa.compareTo(BigDecimal.ONE) == 0
        ? BigDecimal.valueOf(exponent)
        : ln(mantissa).divide(LN_10, CONTEXT).add(BigDecimal.valueOf(exponent), CONTEXT);
  }

  public static BigDecimal sqrt(BigDecimal x) {
    return x.sqrt(Decimals.CONTEXT);
  }

  public static BigDecimal sin(BigDecimal x) {
    return sine(reduce(x));
  }

  public static BigDecimal cos(BigDecimal x) {
    // Reduced first: adding a right angle to a huge number would lose it.
    return sine(reduce(x).add(PI.multiply(HALF)));
  }

  public static BigDecimal tan(BigDecimal x) {
    return sin(x).divide(cos(x), CONTEXT);
  }

  /** The angle less whole turns. */
  private static BigDecimal reduce(BigDecimal x) {
    int digits = x.precision() - x.scale();
    BigDecimal turn = TWO.multiply(digits > 10 ? pi(digits + PI_DIGITS) : PI);
    return x.remainder(turn);
  }

  /** Machin's formula, for more digits than the constant has. */
  private static BigDecimal pi(int digits) {
    BigDecimal fifth = arcCotangent(5, digits).multiply(BigDecimal.valueOf(16));
    return fifth.subtract(arcCotangent(239, digits).multiply(BigDecimal.valueOf(4)));
  }

  private static BigDecimal arcCotangent(int x, int digits) {
    BigInteger power = BigInteger.TEN.pow(digits + 10).divide(BigInteger.valueOf(x));
    BigInteger square = BigInteger.valueOf((long) x * x);
    BigInteger sum = power;
    for (int i = 3; power.signum() != 0; i += 2) {
      power = power.divide(square).negate();
      sum = sum.add(power.divide(BigInteger.valueOf(i)));
    }
    return new BigDecimal(sum, digits + 10);
  }

  private static BigDecimal sine(BigDecimal x) {
    BigDecimal square = x.multiply(x, CONTEXT).negate();
    BigDecimal term = x.round(CONTEXT);
    BigDecimal sum = term;
    for (int i = 2; term.abs().compareTo(EPSILON) > 0 || i < 6; i += 2) {
      term = term.multiply(square, CONTEXT).divide(BigDecimal.valueOf((long) i * (i + 1)), CONTEXT);
      sum = sum.add(term, CONTEXT);
    }
    return sum;
  }

  public static BigDecimal atan(BigDecimal x) {
    if (x.abs().compareTo(BigDecimal.ONE) > 0) {
      BigDecimal right = PI.multiply(HALF);
      BigDecimal rest = atan(BigDecimal.ONE.divide(x.abs(), CONTEXT));
      BigDecimal angle = right.subtract(rest, CONTEXT);
      return x.signum() < 0 ? angle.negate() : angle;
    }
    BigDecimal reduced = x;
    int halvings = x.abs().compareTo(TENTH) > 0 ? 3 : 0;
    for (int i = 0; i < halvings; i++) {
      BigDecimal root = BigDecimal.ONE.add(reduced.multiply(reduced, CONTEXT)).sqrt(CONTEXT);
      reduced = reduced.divide(BigDecimal.ONE.add(root), CONTEXT);
    }
    BigDecimal square = reduced.multiply(reduced, CONTEXT).negate();
    BigDecimal power = reduced;
    BigDecimal sum = reduced;
    for (int i = 3; power.abs().compareTo(EPSILON) > 0; i += 2) {
      power = power.multiply(square, CONTEXT);
      sum = sum.add(power.divide(BigDecimal.valueOf(i), CONTEXT), CONTEXT);
    }
    return sum.multiply(TWO.pow(halvings), CONTEXT);
  }

  /** The angle of the point (x, y). */
  public static BigDecimal atan2(BigDecimal y, BigDecimal x) {
    if (x.signum() == 0) {
      return PI.multiply(HALF).multiply(BigDecimal.valueOf(y.signum()));
    }
    BigDecimal angle = atan(y.divide(x, CONTEXT));
    if (x.signum() > 0) {
      return angle;
    }
    return y.signum() < 0 ? angle.subtract(PI) : angle.add(PI);
  }

  public static BigDecimal asin(BigDecimal x) {
    if (x.abs().compareTo(BigDecimal.ONE) == 0) {
      return PI.multiply(HALF).multiply(BigDecimal.valueOf(x.signum()));
    }
    BigDecimal other = BigDecimal.ONE.subtract(x.multiply(x)).sqrt(CONTEXT);
    return atan(x.divide(other, CONTEXT));
  }

  public static BigDecimal acos(BigDecimal x) {
    return x.compareTo(BigDecimal.ONE) == 0
        ? BigDecimal.ZERO
        : PI.multiply(HALF).subtract(asin(x), CONTEXT);
  }

  public static @Nullable BigDecimal sinh(BigDecimal x) {
    if (x.abs().compareTo(EXPONENT_MAX) > 0) {
      return null;
    }
    if (x.abs().compareTo(TENTH) > 0) {
      return exp(x).subtract(exp(x.negate()), CONTEXT).multiply(HALF, CONTEXT);
    }
    BigDecimal square = x.multiply(x, CONTEXT);
    BigDecimal term = x;
    BigDecimal sum = x;
    for (int i = 2; i < 40; i += 2) {
      term = term.multiply(square, CONTEXT).divide(BigDecimal.valueOf((long) i * (i + 1)), CONTEXT);
      sum = sum.add(term, CONTEXT);
    }
    return sum;
  }

  public static @Nullable BigDecimal cosh(BigDecimal x) {
    if (x.abs().compareTo(EXPONENT_MAX) > 0) {
      return null;
    }
    return exp(x).add(exp(x.negate()), CONTEXT).multiply(HALF, CONTEXT);
  }

  public static BigDecimal tanh(BigDecimal x) {
    return x.abs().compareTo(BigDecimal.valueOf(100)) > 0
        ? BigDecimal.valueOf(x.signum())
        : sinh(x).divide(cosh(x), CONTEXT);
  }

  public static BigDecimal asinh(BigDecimal x) {
    BigDecimal size = x.abs();
    BigDecimal root = BigDecimal.ONE.add(size.multiply(size)).sqrt(CONTEXT);
    BigDecimal result = size.signum() == 0 ? BigDecimal.ZERO : ln(size.add(root));
    return x.signum() < 0 ? result.negate() : result;
  }

  public static BigDecimal acosh(BigDecimal x) {
    return x.compareTo(BigDecimal.ONE) == 0
        ? BigDecimal.ZERO
        : ln(x.add(x.multiply(x).subtract(BigDecimal.ONE).sqrt(CONTEXT)));
  }

  /** For |x| up to one; null where it is infinite. */
  public static @Nullable BigDecimal atanh(BigDecimal x) {
    if (x.abs().compareTo(BigDecimal.ONE) == 0) {
      return null;
    }
    BigDecimal ratio = BigDecimal.ONE.add(x).divide(BigDecimal.ONE.subtract(x), CONTEXT);
    return x.signum() == 0 ? BigDecimal.ZERO : ln(ratio).multiply(HALF, CONTEXT);
  }

  public static BigDecimal degreesToRadians(BigDecimal x) {
    return x.multiply(PI).divide(BigDecimal.valueOf(180), CONTEXT);
  }

  public static BigDecimal radiansToDegrees(BigDecimal x) {
    return x.multiply(BigDecimal.valueOf(180)).divide(PI, CONTEXT);
  }
}
