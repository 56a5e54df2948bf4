package dev.orrery.language.expression;

import static java.util.Map.entry;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.bson.BsonArray;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * {@code $hashSuffix $randomSuffix}: a text with a number behind it, by which what has one value is
 * spread over several. Both are Orrery's own.
 *
 * <pre>
 * {$randomSuffix: ["2018-08-09", 400]}            -> "2018-08-09.17", another one each time
 * {$hashSuffix: ["2018-08-09", "VIN42", 400]}     -> "2018-08-09.313", always the same
 * </pre>
 */
public final class SuffixExpression implements Expression {
  /** How many values a text can be spread over. */
  public static final int COUNT_MAX = 1_000;

  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          entry("$hashSuffix", SuffixExpression::parse),
          entry("$randomSuffix", SuffixExpression::parse));

  private static final int FNV_BASIS = 0x811C9DC5;
  private static final int FNV_PRIME = 0x01000193;

  private final Expression base;
  private final @Nullable Expression spread;
  private final int count;
  private final RandomGenerator random;

  private SuffixExpression(
      Expression base, @Nullable Expression spread, int count, RandomGenerator random) {
    this.base = base;
    this.spread = spread;
    this.count = count;
    this.random = random;
  }

  private static Expression parse(String name, BsonValue argument, ParseContext context) {
    boolean isHash = name.equals("$hashSuffix");
    int size = isHash ? 3 : 2;
    if (!argument.isArray() || argument.asArray().size() != size) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          name
              + " needs an array of "
              + (isHash ? "a text, a value to hash and a number" : "a text and a number"));
    }
    BsonArray arguments = argument.asArray();
    return new SuffixExpression(
        Expressions.parse(arguments.get(0), context),
        isHash ? Expressions.parse(arguments.get(1), context) : null,
        count(name, arguments.get(size - 1)),
        context.random());
  }

  private static int count(String name, BsonValue value) {
    double number = value.isNumber() ? value.asNumber().doubleValue() : 0;
    if (!(number >= 1 && number <= COUNT_MAX) || number != Math.rint(number)) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "%s spreads over a whole number of values from 1 to %d".formatted(name, COUNT_MAX));
    }
    return (int) number;
  }

  /** What the number stands behind. */
  public Expression base() {
    return base;
  }

  /** What decides about the number; null if chance does. */
  public @Nullable Expression spread() {
    return spread;
  }

  /** The highest number; the lowest is 1. */
  public int count() {
    return count;
  }

  @Override
  public BsonValue evaluate(Scope scope) {
    scope.allowance().step();
    BsonValue value = base.evaluate(scope);
    int number = spread == null ? 1 + random.nextInt(count) : number(spread.evaluate(scope), count);
    return suffixed(value, number);
  }

  /** The value with the number behind it; null if there is no value. */
  public static BsonValue suffixed(@Nullable BsonValue value, int number) {
    return Truth.isNullish(value) ? BsonNull.VALUE : new BsonString(text(value) + "." + number);
  }

  /** A number from 1 to {@code count}, by the FNV-1a hash of the value's text as UTF-8. */
  public static int number(@Nullable BsonValue value, int count) {
    int hash = FNV_BASIS;
    String text = Truth.isNullish(value) ? "" : text(value);
    for (byte one : text.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (one & 0xFF)) * FNV_PRIME;
    }
    return 1 + Integer.remainderUnsigned(hash, count);
  }

  private static String text(BsonValue value) {
    String text = Conversion.convert(value, BsonType.STRING).asString().getValue();
    Work.countBytes(2L * text.length()); // it is read or copied, and encoded then
    return text;
  }

  @Override
  public List<Expression> operands() {
    return spread == null ? List.of(base) : List.of(base, spread);
  }

  @Override
  public Expression withOperands(List<Expression> others) {
    return new SuffixExpression(
        others.get(0), spread == null ? null : others.get(1), count, random);
  }
}
