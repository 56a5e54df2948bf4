package dev.orrery.server.command;

import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Every command by its name and aliases. Names are case-sensitive, as in MongoDB. */
public final class CommandTable {
  private final Map<String, Command> byName = new HashMap<>();
  private final List<Command> sorted;

  /** Rejects a duplicate name or alias: two commands under one name is a mistake of ours. */
  public CommandTable(List<Command> commands) {
    for (Command command : commands) {
      add(command.spec().name(), command);
      command.spec().aliases().forEach(alias -> add(alias, command));
    }
    sorted =
        commands.stream().sorted(Comparator.comparing(command -> command.spec().name())).toList();
  }

  private void add(String name, Command command) {
    if (byName.put(name, command) != null) {
      throw new IllegalArgumentException("two commands are called " + name);
    }
  }

  /** The command of that name, or null when there is none. */
  public Command find(String name) {
    return byName.get(name);
  }

  /** The commands by all their names. */
  Map<String, Command> byName() {
    return Collections.unmodifiableMap(byName);
  }

  /** All commands, by name. */
  public List<Command> commands() {
    return sorted;
  }
}
