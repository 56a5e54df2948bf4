package dev.orrery.language.expression;

import static dev.orrery.language.error.BsonText.typeName;
import static java.util.Map.entry;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.number.Numbers;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Operators that look into arrays, cut them or put them together. */
public final class ArrayExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          entry("$arrayElemAt", Arguments.binary(ArrayExpressions::arrayElemAt)),
          entry(
              "$concatArrays",
              Arguments.any(FunctionCall.Grouping.NEIGHBOURS, ArrayExpressions::concatArrays)),
          entry("$in", ArrayExpressions::parseIn),
          entry("$indexOfArray", ArrayExpressions::parseIndexOf),
          entry("$isArray", Arguments.unary(value -> Truth.of(value != null && value.isArray()))),
          entry("$range", Arguments.between(2, 3, ArrayExpressions::range)),
          entry("$reverseArray", Arguments.unary(ArrayExpressions::reverse)),
          entry("$size", Arguments.unary(ArrayExpressions::size)),
          entry("$slice", Arguments.between(2, 3, ArrayExpressions::slice)));

  private static final long RANGE_BYTES_MAX = 100L << 20;
  private static final int ELEMENT_BYTES = 16;
  private static final int VECTOR_BYTES = 24;

  private ArrayExpressions() {}

  private static @Nullable BsonValue arrayElemAt(
      @Nullable BsonValue array, @Nullable BsonValue index) {
    return elementAt("$arrayElemAt", "first argument", array, index);
  }

  /** The element at that index, counted from the end if negative; missing outside the array. */
  static @Nullable BsonValue elementAt(
      String name, String what, @Nullable BsonValue array, @Nullable BsonValue index) {
    if (Truth.isNullish(array) || Truth.isNullish(index)) {
      return BsonNull.VALUE;
    }
    if (!array.isArray()) {
      throw new CommandException(
          ErrorCode.LOCATION_28689,
          name + "'s " + what + " must be an array, but is " + typeName(array));
    }
    if (!Numbers.isNumber(index)) {
      throw new CommandException(
          ErrorCode.LOCATION_28690,
          name + "'s second argument must be a numeric value, but is " + typeName(index));
    }
    if (!Numbers.isInt(index)) {
      throw new CommandException(
          ErrorCode.LOCATION_28691,
          name
              + "'s second argument must be representable as a 32-bit integer: "
              + Numeric.brief(index));
    }
    List<BsonValue> elements = array.asArray();
    long position = Numbers.toLong(index);
    long at = position < 0 ? position + elements.size() : position;
    return at < 0 || at >= elements.size() ? null : elements.get((int) at);
  }

  private static BsonValue concatArrays(@Nullable BsonValue[] values) {
    var all = new BsonArray();
    for (BsonValue value : values) {
      if (Truth.isNullish(value)) {
        return BsonNull.VALUE;
      }
      if (!value.isArray()) {
        throw new CommandException(
            ErrorCode.LOCATION_28664, "$concatArrays only supports arrays, not " + typeName(value));
      }
      ValueSize.requireArray((long) all.size() + value.asArray().size(), 0);
      all.addAll(value.asArray());
    }
    return all;
  }

  private static Expression parseIn(String name, BsonValue argument, ParseContext context) {
    return new In(context.order(), Arguments.exactly(2, name, argument, context));
  }

  private record In(Comparator<BsonValue> order, List<Expression> operands) implements Expression {
    @Override
    public BsonValue evaluate(Scope scope) {
      return in(order, operands.get(0).evaluate(scope), operands.get(1).evaluate(scope));
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new In(order, List.copyOf(others));
    }

    @Override
    public boolean isFoldable() {
      return true;
    }

    @Override
    public Expression optimize() {
      Expression optimized = Expression.super.optimize();
      if (optimized instanceof In same
          && same.operands.get(1) instanceof Constant constant
          && constant.value() instanceof BsonArray array
          && Folding.mayKeepSorted(array.size())) {
        TreeSet<BsonValue> set = SetExpressions.set(order, array);
        return new ConstantIn(same.operands.get(0), set);
      }
      return optimized;
    }
  }

  /**
   * {@code $in} of an array that is constant: sorted once, so that looking a value up does not walk
   * it. A planner derives index bounds from it.
   */
  public record ConstantIn(Expression value, SortedSet<BsonValue> members) implements Expression {
    @Override
    public BsonValue evaluate(Scope scope) {
      BsonValue one = value.evaluate(scope);
      scope.allowance().step();
      Work.count(one, scope.allowance());
      return Truth.of(members.contains(one));
    }

    @Override
    public List<Expression> operands() {
      return List.of(value);
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new ConstantIn(others.get(0), members);
    }

    @Override
    public boolean isFoldable() {
      return true;
    }
  }

  private static BsonValue in(
      Comparator<BsonValue> order, @Nullable BsonValue value, @Nullable BsonValue array) {
    if (array == null || !array.isArray()) {
      throw new CommandException(
          ErrorCode.LOCATION_40081,
          "$in requires an array as a second argument, found: " + typeName(array));
    }
    Allowance allowance = Allowance.current();
    for (BsonValue element : array.asArray()) {
      allowance.step();
      if (order.compare(value, element) == 0) {
        return Truth.of(true);
      }
    }
    return Truth.of(false);
  }

  private static Expression parseIndexOf(String name, BsonValue argument, ParseContext context) {
    return new IndexOf(context.order(), Arguments.between(2, 4, name, argument, context));
  }

  /** A constant array is checked ahead, and then with other words. */
  private record IndexOf(Comparator<BsonValue> order, List<Expression> operands)
      implements Expression {
    @Override
    public BsonValue evaluate(Scope scope) {
      return indexOf(
          order, operands.stream().map(o -> o.evaluate(scope)).toArray(BsonValue[]::new));
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new IndexOf(order, List.copyOf(others));
    }

    @Override
    public boolean isFoldable() {
      return true;
    }

    @Override
    public Expression optimize() {
      Expression optimized = Expression.super.optimize();
      if (optimized instanceof IndexOf same && same.operands.get(0) instanceof Constant array) {
        if (Truth.isNullish(array.value())) {
          return new Constant(BsonNull.VALUE);
        }
        if (!array.value().isArray()) {
          throw new CommandException(
              ErrorCode.LOCATION_50809,
              "First operand of $indexOfArray must be an array. First argument is of type: "
                  + typeName(array.value()));
        }
      }
      return optimized;
    }
  }

  private static BsonValue indexOf(Comparator<BsonValue> order, @Nullable BsonValue[] values) {
    BsonValue array = values[0];
    if (Truth.isNullish(array)) {
      return BsonNull.VALUE;
    }
    if (!array.isArray()) {
      throw new CommandException(
          ErrorCode.LOCATION_40090,
          "$indexOfArray requires an array as a first argument, found: " + typeName(array));
    }
    List<BsonValue> elements = array.asArray();
    int start = values.length > 2 ? requireIndex("$indexOfArray", "starting", values[2]) : 0;
    int end =
        values.length > 3 ? requireIndex("$indexOfArray", "ending", values[3]) : elements.size();
    Allowance allowance = Allowance.current();
    for (int i = start; i < Math.min(end, elements.size()); i++) {
      allowance.step();
      if (order.compare(elements.get(i), values[1]) == 0) {
        return new BsonInt32(i);
      }
    }
    return new BsonInt32(-1);
  }

  /** A position given to one of the $indexOf operators. */
  static int requireIndex(String name, String which, @Nullable BsonValue value) {
    if (!Numbers.isInt(value)) {
      // MongoDB forgets the space after the operator.
      throw new CommandException(
          ErrorCode.LOCATION_40096,
          String.format(
              "%srequires an integral %s index, found a value of type: %s, with value: %s",
              name, which, typeName(value), BsonText.aggregated(value)));
    }
    long index = Numbers.toLong(value);
    if (index < 0) {
      throw new CommandException(
          ErrorCode.LOCATION_40097,
          String.format(
              "%s requires a nonnegative %s index, found: %s",
              name, which, BsonText.aggregated(value)));
    }
    return (int) index;
  }

  private static BsonValue range(@Nullable BsonValue[] values) {
    long start = RangePart.START.require(values[0]);
    long end = RangePart.END.require(values[1]);
    long step = values.length > 2 ? RangePart.STEP.require(values[2]) : 1;
    if (step == 0) {
      throw new CommandException(ErrorCode.LOCATION_34449, "$range requires a non-zero step value");
    }
    long steps = (end - start) / step;
    long bytes = VECTOR_BYTES + (steps >= 0 ? 1 + steps : 0) * ELEMENT_BYTES;
    if (bytes >= RANGE_BYTES_MAX) {
      throw new CommandException(
          ErrorCode.EXCEEDED_MEMORY_LIMIT,
          String.format(
              "$range would use too much memory (%d bytes) and cannot spill to disk. "
                  + "Memory limit: %d bytes",
              bytes, RANGE_BYTES_MAX));
    }
    var numbers = new BsonArray();
    Allowance allowance = Allowance.current();
    long held = ValueSize.holdArray(Math.max(0, steps), ELEMENT_BYTES, allowance);
    try {
      for (long i = start; step > 0 ? i < end : i > end; i += step) {
        allowance.step();
        numbers.add(new BsonInt32((int) i));
      }
      return numbers;
    } finally {
      allowance.release(held);
    }
  }

  /** The operands of $range, which MongoDB refuses in slightly different words. */
  private enum RangePart {
    START("a", "starting value", " ", ErrorCode.LOCATION_34443, ErrorCode.LOCATION_34444),
    END("an", "ending value", " ", ErrorCode.LOCATION_34445, ErrorCode.LOCATION_34446),
    // MongoDB forgets the space before the type of a step.
    STEP("a", "step value", "", ErrorCode.LOCATION_34447, ErrorCode.LOCATION_34448);

    private final String article;
    private final String name;
    private final String gap;
    private final ErrorCode notNumeric;
    private final ErrorCode notInt;

    RangePart(String article, String name, String gap, ErrorCode notNumeric, ErrorCode notInt) {
      this.article = article;
      this.name = name;
      this.gap = gap;
      this.notNumeric = notNumeric;
      this.notInt = notInt;
    }

    long require(@Nullable BsonValue value) {
      if (!Numbers.isNumber(value)) {
        throw new CommandException(
            notNumeric,
            String.format(
                "$range requires a numeric %s, found value of type:%s%s",
                name, gap, typeName(value)));
      }
      if (!Numbers.isInt(value)) {
        throw new CommandException(
            notInt,
            String.format(
                "$range requires %s %s that can be represented as a 32-bit integer, "
                    + "found value: %s",
                article, name, BsonText.aggregated(value)));
      }
      return Numbers.toLong(value);
    }
  }

  private static BsonValue reverse(@Nullable BsonValue value) {
    if (Truth.isNullish(value)) {
      return BsonNull.VALUE;
    }
    if (!value.isArray()) {
      throw new CommandException(
          ErrorCode.LOCATION_34435,
          "The argument to $reverseArray must be an array, but was of type: " + typeName(value));
    }
    var reversed = new BsonArray(value.asArray());
    Collections.reverse(reversed);
    return reversed;
  }

  private static BsonValue size(@Nullable BsonValue value) {
    if (value == null || !value.isArray()) {
      throw new CommandException(
          ErrorCode.LOCATION_17124,
          "The argument to $size must be an array, but was of type: " + typeName(value));
    }
    return new BsonInt32(value.asArray().size());
  }

  /** {@code [array, count]} or {@code [array, start, count]}; negative counts from the end. */
  private static BsonValue slice(@Nullable BsonValue[] values) {
    if (Truth.isNullish(values[0]) || Truth.isNullish(values[1])) {
      return BsonNull.VALUE;
    }
    if (!values[0].isArray()) {
      throw new CommandException(
          ErrorCode.LOCATION_28724,
          "First argument to $slice must be an array, but is of type: " + typeName(values[0]));
    }
    List<BsonValue> elements = values[0].asArray();
    int size = elements.size();
    int second = requireSecond(values[1]);
    if (values.length == 2) {
      int from = second < 0 ? (int) Math.max(0, (long) size + second) : 0;
      int to = second < 0 ? size : Math.min(size, second);
      return new BsonArray(elements.subList(from, to));
    }
    if (Truth.isNullish(values[2])) {
      return BsonNull.VALUE;
    }
    int count = requireCount(values[2]);
    int from = second < 0 ? (int) Math.max(0, (long) size + second) : Math.min(size, second);
    int to = (int) Math.min(size, (long) from + count);
    return new BsonArray(elements.subList(from, to));
  }

  private static int requireSecond(BsonValue value) {
    if (!Numbers.isNumber(value)) {
      throw new CommandException(
          ErrorCode.LOCATION_28725,
          "Second argument to $slice must be a numeric value, but is of type: " + typeName(value));
    }
    if (!Numbers.isInt(value)) {
      throw new CommandException(
          ErrorCode.LOCATION_28726,
          "Second argument to $slice can't be represented as a 32-bit integer: "
              + Numeric.brief(value));
    }
    return (int) Numbers.toLong(value);
  }

  private static int requireCount(BsonValue value) {
    if (!Numbers.isNumber(value)) {
      throw new CommandException(
          ErrorCode.LOCATION_28727,
          "Third argument to $slice must be numeric, but is of type: " + typeName(value));
    }
    if (!Numbers.isInt(value)) {
      throw new CommandException(
          ErrorCode.LOCATION_28728,
          "Third argument to $slice can't be represented as a 32-bit integer: "
              + Numeric.brief(value));
    }
    int count = (int) Numbers.toLong(value);
    if (count <= 0) {
      throw new CommandException(
          ErrorCode.LOCATION_28729, "Third argument to $slice must be positive: " + count);
    }
    return count;
  }
}
