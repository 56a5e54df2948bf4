package dev.orrery.language.expression;

import dev.orrery.language.date.Zone;
import dev.orrery.language.limit.Allowance;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.bson.BsonNull;
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

  /** What can be told from the constant operands alone. */
  @FunctionalInterface
  interface Ahead {
    /**
     * Fails for constants that are wrong with every date.
     *
     * @param constants BsonNull for those that are null or missing, null for operands that are not
     *     constant
     * @param isZoneNull whether the zone is a constant null; fails for a constant that is no zone
     * @return whether the result is null whatever the other operands are
     */
    boolean isNull(@Nullable BsonValue[] constants, BooleanSupplier isZoneNull);
  }

  private final DateFunction function;
  private final Function<BsonValue, Zone> zoneParser;
  private final Ahead ahead;
  private final List<Expression> operands;
  private final @Nullable Zone fixedZone;

  /** Looks at nothing but the zone ahead. */
  static final Ahead UNCHECKED =
      (constants, isZoneNull) -> {
        isZoneNull.getAsBoolean();
        return false;
      };

  /** A null zone operand means that the user gave none: UTC. */
  DateCall(
      DateFunction function,
      Function<BsonValue, Zone> zoneParser,
      Ahead ahead,
      List<Expression> operands,
      @Nullable Expression zone) {
    this(
        function,
        zoneParser,
        ahead,
        withZone(operands, zone),
        zone == null ? Zone.UTC : (Zone) null);
  }

  private DateCall(
      DateFunction function,
      Function<BsonValue, Zone> zoneParser,
      Ahead ahead,
      List<Expression> operands,
      @Nullable Zone fixedZone) {
    this.function = function;
    this.zoneParser = zoneParser;
    this.ahead = ahead;
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
    return evaluate(operands.get(0).evaluate(scope), scope);
  }

  /** The value with the first operand's known already. */
  @Nullable BsonValue evaluate(@Nullable BsonValue first, Scope scope) {
    Allowance allowance = scope.allowance();
    allowance.step();
    int count = operands.size() - 1;
    var values = new BsonValue[count];
    values[0] = first;
    Work.count(first, allowance);
    for (int i = 1; i < count; i++) {
      values[i] = operands.get(i).evaluate(scope);
      Work.count(values[i], allowance);
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
    return new DateCall(function, zoneParser, ahead, others, fixedZone);
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
    int last = call.operands.size() - 1;
    var constants = new BsonValue[last];
    for (int i = 0; i < last; i++) {
      if (call.operands.get(i) instanceof Constant constant) {
        constants[i] = Truth.isNullish(constant.value()) ? BsonNull.VALUE : constant.value();
      }
    }
    boolean isFixed = fixedZone == null && call.operands.get(last) instanceof Constant;
    Zone[] zone = {fixedZone};
    BooleanSupplier isZoneNull =
        () -> {
          zone[0] = isFixed ? parseZone(((Constant) call.operands.get(last)).value()) : fixedZone;
          return isFixed && zone[0] == null;
        };
    return ahead.isNull(constants, isZoneNull)
        ? new Constant(BsonNull.VALUE)
        : new DateCall(function, zoneParser, ahead, call.operands, zone[0]);
  }
}
