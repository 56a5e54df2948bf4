package dev.orrery.language.expression;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All operators of one kind by name, put together from their families. It also knows the names that
 * MongoDB has and we have not, so that a user learns which of the two went wrong.
 */
public final class OperatorTable<T> {
  private final Map<String, T> operators = new HashMap<>();
  private final Set<String> missing;

  public OperatorTable(List<Map<String, T>> families, Set<String> missing) {
    this.missing = Set.copyOf(missing);
    for (Map<String, T> family : families) {
      family.forEach(this::add);
    }
  }

  private void add(String name, T operator) {
    if (operators.put(name, operator) != null || missing.contains(name)) {
      throw new IllegalArgumentException("registered twice: " + name);
    }
  }

  /** The operator of that name; null if MongoDB has none. Refuses those not implemented. */
  public @Nullable T find(String name) {
    if (missing.contains(name)) {
      throw new CommandException(ErrorCode.NOT_IMPLEMENTED, name + " is not implemented");
    }
    return operators.get(name);
  }

  /** Whether MongoDB has an operator of that name, implemented here or not. */
  public boolean isKnown(String name) {
    return operators.containsKey(name) || missing.contains(name);
  }

  public Set<String> names() {
    return Set.copyOf(operators.keySet());
  }
}
