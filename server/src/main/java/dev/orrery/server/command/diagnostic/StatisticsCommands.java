package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.collection.Databases;
import java.util.List;
import java.util.function.LongSupplier;

/** The commands that count and measure what is stored, and say how long some of it is kept. */
public final class StatisticsCommands {
  private StatisticsCommands() {}

  public static List<Command> list(Databases databases, LongSupplier nanoClock) {
    return List.of( // sorted by command name
        new ChangeFeedInfoCommand(databases),
        new CollStatsCommand(databases),
        new DataSizeCommand(databases, nanoClock),
        new DbHashCommand(databases, nanoClock),
        new DbStatsCommand(databases),
        new FileMd5Command(databases),
        new GetClusterParameterCommand(databases),
        new SetClusterParameterCommand(databases));
  }
}
