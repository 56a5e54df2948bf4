package dev.orrery.server.expression;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * A date operator: its last operand is the time zone. A constant zone is looked up once, and other
 * constant operands can be checked ahead, as MongoDB does even if the date is not constant.
 */
final class DateCall implements Expression {
  /** Computes the value; the zone is null if its operand is null or missing. */
  @FunctionalInterface
  interface DateFunction {
    @Nullable BsonValue apply(@Nullable BsonValue[] values, Supplier<@Nullable Zone> zone);
  }

  private final DateFunction function;
  private final Function<BsonValue, Zone> zoneParser;
  private final Consumer<@Nullable BsonValue[]> check;
  private final List<Expression> operands;
  private final @Nullable Zone fixedZone;

  /** Checks nothing ahead. */
  static final Consumer<@Nullable BsonValue[]> UNCHECKED = constants -> {};

  /**
   * {@code check} sees the operands that are constant, null for the others. A null zone operand
   * means that the user gave none: UTC.
   */
  DateCall(
      DateFunction function,
      Function<BsonValue, Zone> zoneParser,
      Consumer<@Nullable BsonValue[]> check,
      List<Expression> operands,
      @Nullable Expression zone) {
    this(
        function,
        zoneParser,
        check,
        withZone(operands, zone),
        zone == null ? Zone.UTC : (Zone) null);
  }

  private DateCall(
      DateFunction function,
      Function<BsonValue, Zone> zoneParser,
      Consumer<@Nullable BsonValue[]> check,
      List<Expression> operands,
      @Nullable Zone fixedZone) {
    this.function = function;
    this.zoneParser = zoneParser;
    this.check = check;
    this.operands = List.copyOf(operands);
    this.fixedZone = fixedZone;
  }

  private static List<Expression> withZone(List<Expression> operands, @Nullable Expression zone) {
    var all = new ArrayList<>(operands);
    all.add(zone == null ? Constant.MISSING : zone);
    return all;
  }

  @Override
  public @Nullable BsonValue evaluate(Scope scope) {
    int count = operands.size() - 1;
    var values = new BsonValue[count];
    for (int i = 0; i < count; i++) {
      values[i] = operands.get(i).evaluate(scope);
    }
    return function.apply(
        values,
        () -> fixedZone != null ? fixedZone : parseZone(operands.get(count).evaluate(scope)));
  }

  private @Nullable Zone parseZone(@Nullable BsonValue value) {
    return Truth.isNullish(value) ? null : zoneParser.apply(value);
  }

  @Override
  public List<Expression> operands() {
    return operands;
  }

  @Override
  public Expression withOperands(List<Expression> others) {
    return new DateCall(function, zoneParser, check, others, fixedZone);
  }

  @Override
  public boolean isFoldable() {
    return true;
  }

  @Override
  public Expression optimize() {
    Expression optimized = Expression.super.optimize();
    if (!(optimized instanceof DateCall call)) {
      return optimized;
    }
    Zone zone = fixedZone;
    int last = call.operands.size() - 1;
    if (zone == null && call.operands.get(last) instanceof Constant constant) {
      zone = parseZone(constant.value());
    }
    var constants = new BsonValue[last];
    for (int i = 0; i < last; i++) {
      if (call.operands.get(i) instanceof Constant constant) {
        constants[i] = Truth.isNullish(constant.value()) ? null : constant.value();
      }
    }
    check.accept(constants);
    return new DateCall(function, zoneParser, check, call.operands, zone);
  }
}
