package dev.orrery.language.expression;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.BsonOrder;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import org.bson.BsonArray;
import org.bson.BsonDateTime;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * What parsing an expression may refer to: the variables in scope, the order of values (by the
 * collation, if there is one), and a source of random numbers. Immutable; the {@code with} methods
 * give an inner context.
 */
public final class ParseContext {
  private static final Variable ROOT = new Variable.Root();

  /** What every context knows; the times differ from command to command and are kept apart. */
  private static final Map<String, Variable> BUILT_IN =
      Map.of(
          "ROOT", ROOT,
          "CURRENT", ROOT,
          "REMOVE", new Variable.Known(null),
          "USER_ROLES", new Variable.Known(new BsonArray()),
          "SEARCH_META", new Variable.Known(null));

  private static final RandomGenerator RANDOM = () -> ThreadLocalRandom.current().nextLong();

  /** When the command began: the values of NOW and, if it is known, CLUSTER_TIME. */
  private record Times(long nowMillis, @Nullable BsonTimestamp clusterTime) {}

  private final Map<String, Variable> variables;
  private final int slotCount;
  private final Times times;
  private final Comparator<BsonValue> order;
  private final RandomGenerator random;

  private ParseContext(
      Map<String, Variable> variables,
      int slotCount,
      Times times,
      Comparator<BsonValue> order,
      RandomGenerator random) {
    this.variables = variables;
    this.slotCount = slotCount;
    this.times = times;
    this.order = order;
    this.random = random;
  }

  /** The context of a command that began at that time: {@code $$NOW}. */
  public static ParseContext at(long nowMillis) {
    var times = new Times(nowMillis, null);
    return new ParseContext(BUILT_IN, 0, times, WatchedOrder.CANONICAL, RANDOM);
  }

  public ParseContext withClusterTime(BsonTimestamp time) {
    return new ParseContext(variables, slotCount, new Times(times.nowMillis, time), order, random);
  }

  public ParseContext withUserRoles(BsonArray roles) {
    return with("USER_ROLES", new Variable.Known(roles), slotCount);
  }

  /** Adds {@code $$DESCEND}, {@code $$PRUNE} and {@code $$KEEP}, which only $redact knows. */
  public ParseContext withRedactVariables() {
    return withConstant("DESCEND", new BsonString("descend"))
        .withConstant("PRUNE", new BsonString("prune"))
        .withConstant("KEEP", new BsonString("keep"));
  }

  /** Adds a variable whose value is known already, such as one of a command's {@code let}. */
  public ParseContext withConstant(String name, @Nullable BsonValue value) {
    return with(name, new Variable.Known(value), slotCount);
  }

  /**
   * Adds a variable that is bound while documents are read; {@link #slot} tells where in the {@link
   * Scope} its values go.
   */
  public ParseContext withVariable(String name) {
    return with(name, new Variable.Slot(slotCount), slotCount + 1);
  }

  public ParseContext withOrder(BsonOrder order) {
    return new ParseContext(variables, slotCount, times, order, random);
  }

  public ParseContext withRandom(RandomGenerator random) {
    return new ParseContext(variables, slotCount, times, order, random);
  }

  /** Where values of a variable added by {@link #withVariable} go. */
  public int slot(String name) {
    if (variables.get(name) instanceof Variable.Slot variable) {
      return variable.slot();
    }
    throw new IllegalArgumentException("not a bound variable: " + name);
  }

  /** The order of all values, a missing one (Java null) included. */
  public Comparator<BsonValue> order() {
    return order;
  }

  RandomGenerator random() {
    return random;
  }

  Variable variable(String name) {
    Variable variable = variables.get(name);
    if (variable != null) {
      return variable;
    }
    if (name.equals("NOW")) {
      return new Variable.Known(new BsonDateTime(times.nowMillis));
    }
    if (!name.equals("CLUSTER_TIME")) {
      throw new CommandException(ErrorCode.LOCATION_17276, "Use of undefined variable: " + name);
    }
    if (times.clusterTime == null) {
      throw new CommandException(
          ErrorCode.LOCATION_51144, "Builtin variable '$$CLUSTER_TIME' is not available");
    }
    return new Variable.Known(times.clusterTime);
  }

  private ParseContext with(String name, Variable variable, int slots) {
    Map<String, Variable> inner = new HashMap<>(variables);
    inner.put(name, variable);
    return new ParseContext(inner, slots, times, order, random);
  }
}
