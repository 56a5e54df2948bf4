package dev.orrery.language.aggregate.accumulator;

import dev.orrery.language.aggregate.stage.SortKey;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.Scope;
import dev.orrery.language.number.Numbers;
import java.util.function.IntFunction;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * What a group or a window accumulates: which accumulator, and the value that each document gives
 * it.
 *
 * @param input the value of a document
 * @param count {@code n} of $firstN and the like, an expression over the group's key; else null
 * @param sortBy the order of $top and the like; else null
 * @param factory makes the state, given n, or 1
 */
public record Accumulation(
    Expression input,
    @Nullable Expression count,
    @Nullable SortKey sortBy,
    IntFunction<Accumulator> factory) {
  private static final String KEY = "k";
  private static final String VALUE = "v";

  public static Accumulation of(Expression input, IntFunction<Accumulator> factory) {
    return new Accumulation(input, null, null, factory);
  }

  public Accumulation optimize() {
    return new Accumulation(
        input.optimize(), count == null ? null : count.optimize(), sortBy, factory);
  }

  public void addDependencies(Dependencies dependencies) {
    input.addDependencies(dependencies);
    if (sortBy != null) {
      sortBy.paths().forEach(dependencies::addField);
    }
  }

  /** Whether parts of a group may be accumulated apart; see {@link Accumulator#isDivisible}. */
  public boolean isDivisible() {
    return factory.apply(1).isDivisible();
  }

  /** What the scope's document gives to the accumulator; null if it is missing. */
  public @Nullable BsonValue evaluate(Scope scope) {
    BsonValue value = input.evaluate(scope);
    if (sortBy == null) {
      return value;
    }
    return new BsonDocument(KEY, new BsonBinary(sortBy.of(scope.root())))
        .append(VALUE, value == null ? BsonNull.VALUE : value);
  }

  static byte[] key(BsonValue ranked) {
    return ranked.asDocument().getBinary(KEY).getData();
  }

  static BsonValue value(BsonValue ranked) {
    return ranked.asDocument().get(VALUE);
  }

  /** A fresh state; the scope's document is the group's key. */
  public Accumulator create(Scope scope) {
    return factory.apply(count == null ? 1 : requireCount(count.evaluate(scope)));
  }

  private static int requireCount(@Nullable BsonValue value) {
    if (!Numbers.isNumber(value)) {
      throw new CommandException(
          ErrorCode.LOCATION_5787902,
          "Value for 'n' must be of integral type, but found " + BsonText.aggregated(value));
    }
    if (!Numbers.isLong(value)) {
      throw new CommandException(
          ErrorCode.LOCATION_5787903,
          "Value for 'n' must be of integral type, but found " + BsonText.aggregated(value));
    }
    long count = Numbers.toLong(value);
    if (count <= 0) {
      throw new CommandException(
          ErrorCode.LOCATION_5787908, "'n' must be greater than 0, found " + count);
    }
    return (int) Math.min(count, Integer.MAX_VALUE);
  }
}
