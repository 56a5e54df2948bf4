package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandTable;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.server.command.TableReader;
import dev.orrery.server.command.security.SecurityCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The commands of a server. */
public final class StandardCommands {
  private StandardCommands() {}

  /** {@code further} are the commands that need more than {@link Services}. */
  public static CommandTable table(Services services, List<Command> further) {
    var commands = new ArrayList<>(diagnostic(services));
    commands.addAll(SecurityCommands.list(services.security()));
    commands.addAll(further);
    commands.add(new ListCommandsCommand(commands));
    var table = new CommandTable(commands);
    for (Command command : commands) {
      if (command instanceof TableReader reader) {
        reader.read(table);
      }
    }
    return table;
  }

  private static List<Command> diagnostic(Services services) {
    ServerFacts facts = services.facts();
    return List.of( // sorted by command name
        new BuildInfoCommand(facts),
        new ConnPoolStatsCommand(),
        SessionsCommand.end(services.sessions()),
        new FeaturesCommand(),
        new GetCmdLineOptsCommand(facts),
        new GetDefaultRwConcernCommand(services.concerns(), facts),
        new GetLogCommand(services.log()),
        new GetParameterCommand(services.parameters()),
        HelloCommand.hello(services),
        new HostInfoCommand(facts),
        HelloCommand.isMaster(services),
        KillAllSessionsCommand.byUser(services.sessions(), services.operations()),
        KillAllSessionsCommand.byPattern(services.sessions(), services.operations()),
        SessionsCommand.kill(services.sessions(), services.operations()),
        new LockInfoCommand(),
        new LogRotateCommand(),
        new PingCommand(),
        new PrepareTransactionCommand(),
        SessionsCommand.refresh(services.sessions()),
        new ReplSetGetConfigCommand(facts),
        new ReplSetGetStatusCommand(facts, services.clusterClock()),
        new ReplSetInitiateCommand(facts),
        new ServerStatusCommand(services),
        new SetDefaultRwConcernCommand(services.concerns(), facts),
        new SetFeatureCompatibilityVersionCommand(),
        new SetParameterCommand(services.parameters()),
        new ShutdownCommand(services.stop()),
        new StartSessionCommand(services.sessions(), UUID::randomUUID),
        new WhatsMyUriCommand());
  }
}
