package dev.orrery.testkit;

import java.util.ArrayList;
import java.util.List;

/**
 * How a server behaves; the defaults are those of the command line. Options are values: each method
 * returns others.
 *
 * @param arguments those of the command line, such as {@code --profile=cosmos}
 */
public record OrreryOptions(List<String> arguments) {
  public OrreryOptions {
    arguments = List.copyOf(arguments);
  }

  public static OrreryOptions defaults() {
    return new OrreryOptions(List.of());
  }

  /** One more argument of the command line, which replaces an earlier one of the same name. */
  public OrreryOptions with(String argument) {
    String name = argument.replaceFirst("=.*", "");
    var changed = new ArrayList<>(arguments);
    if (!name.equals("--limit")) {
      changed.removeIf(each -> each.equals(name) || each.startsWith(name + "="));
    }
    changed.add(argument);
    return new OrreryOptions(changed);
  }

  /** {@code cosmos} for the refusals of Cosmos DB, {@code extended} for none. */
  public OrreryOptions withProfile(String profile) {
    return with("--profile=" + profile);
  }

  /** The size at which a physical partition is split, such as {@code 1MB}. */
  public OrreryOptions withSplitAt(String size) {
    return with("--limit=physical-partition=" + size);
  }
}
