package dev.orrery.server.command;

import java.util.List;

/** The commands that look after what the server is doing. */
public final class OperationCommands {
  private OperationCommands() {}

  public static List<Command> list(DataServices services, ServerFacts facts) {
    var current =
        new CurrentOperations(services.operations(), services.cursors(), services.clock());
    return List.of( // sorted by command name
        new CurrentOpCommand(current, facts),
        new KillOpCommand(services.operations()),
        new TopCommand());
  }
}
