package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.server.command.data.CurrentOperations;
import dev.orrery.server.command.data.DataServices;
import dev.orrery.server.command.data.ProfileCollections;
import dev.orrery.server.operation.ProfileSettings;
import dev.orrery.server.operation.Top;
import dev.orrery.server.operation.WriteLock;
import java.util.List;

/** The commands that look after what the server is doing. */
public final class OperationCommands {
  private OperationCommands() {}

  /** What is written down of operations, and how. */
  public record Journals(Top top, ProfileSettings settings, ProfileCollections profiles) {}

  public static List<Command> list(DataServices services, ServerFacts facts, Journals journals) {
    var current =
        new CurrentOperations(services.operations(), services.cursors(), services.clock());
    WriteLock writes = services.operations().writeLock();
    return List.of( // sorted by command name
        new CurrentOpCommand(current, facts),
        new FsyncCommand(services.databases().engine(), writes),
        new FsyncUnlockCommand(writes),
        new KillOpCommand(services.operations()),
        new ProfileCommand(journals.settings, journals.profiles),
        new TopCommand(journals.top));
  }
}
