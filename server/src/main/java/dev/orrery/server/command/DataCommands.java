package dev.orrery.server.command;

import java.util.List;

/** The commands on documents. */
public final class DataCommands {
  private DataCommands() {}

  public static List<Command> list(DataServices services, ViewReader views) {
    return List.of( // sorted by command name
        new CountCommand(services, views),
        new DeleteCommand(services),
        new DistinctCommand(services, views),
        new FindAndModifyCommand(services),
        new FindCommand(services, views),
        new GetMoreCommand(services),
        new InsertCommand(services),
        new KillCursorsCommand(services),
        new UpdateCommand(services));
  }
}
