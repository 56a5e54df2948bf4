package dev.orrery.server.expression;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.storage.value.BsonOrder;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
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

  private final Map<String, Variable> variables;
  private final int slotCount;
  private final Comparator<BsonValue> order;
  private final RandomGenerator random;

  private ParseContext(
      Map<String, Variable> variables,
      int slotCount,
      Comparator<BsonValue> order,
      RandomGenerator random) {
    this.variables = variables;
    this.slotCount = slotCount;
    this.order = order;
    this.random = random;
  }

  /** The context of a command that began at that time: {@code $$NOW}. */
  public static ParseContext at(long nowMillis) {
    Map<String, Variable> variables = new HashMap<>();
    variables.put("ROOT", ROOT);
    variables.put("CURRENT", ROOT);
    variables.put("REMOVE", new Variable.Known(null));
    variables.put("NOW", new Variable.Known(new BsonDateTime(nowMillis)));
    variables.put("USER_ROLES", new Variable.Known(new BsonArray()));
    variables.put("SEARCH_META", new Variable.Known(null));
    variables.put("CLUSTER_TIME", new Variable.Unavailable());
    return new ParseContext(variables, 0, BsonOrder.CANONICAL, RandomGenerator.getDefault());
  }

  public ParseContext withClusterTime(BsonTimestamp time) {
    return with("CLUSTER_TIME", new Variable.Known(time), slotCount);
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

  public ParseContext withOrder(Comparator<BsonValue> order) {
    return new ParseContext(variables, slotCount, order, random);
  }

  public ParseContext withRandom(RandomGenerator random) {
    return new ParseContext(variables, slotCount, order, random);
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
    if (variable == null) {
      throw new CommandException(ErrorCode.LOCATION_17276, "Use of undefined variable: " + name);
    }
    if (variable instanceof Variable.Unavailable) {
      throw new CommandException(
          ErrorCode.LOCATION_51144, "Builtin variable '$$" + name + "' is not available");
    }
    return variable;
  }

  private ParseContext with(String name, Variable variable, int slots) {
    Map<String, Variable> inner = new HashMap<>(variables);
    inner.put(name, variable);
    return new ParseContext(inner, slots, order, random);
  }
}
