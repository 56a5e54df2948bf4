package dev.orrery.server.command.cosmos;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.Faults;
import java.util.List;

/** The commands about partitions and throughput: those of Cosmos DB, and our own. */
public final class CosmosCommands {
  private CosmosCommands() {}

  /** Those that let things go wrong on purpose. */
  public static List<Command> ofFaults(Faults faults) {
    return List.of(
        new ClearFaultsCommand(faults),
        new ConfigureFailPointCommand(faults.failedCommands()),
        new InjectFaultCommand(faults),
        new ListFaultsCommand(faults));
  }

  public static List<Command> list(CosmosServices services) {
    var collections = new PartitionedCollections(services.databases());
    return List.of( // sorted by command name
        new BalancerStatusCommand(),
        new CustomActionCommand(services, collections),
        new EnableShardingCommand(),
        new EndRequestUnitScopeCommand(services.ledgers()),
        new GetLastRequestStatisticsCommand(),
        new ListPartitionsCommand(services.databases()),
        new ListShardsCommand(),
        new MergePartitionsCommand(services.databases()),
        new PartitionOfCommand(services.databases()),
        new RuStatisticsCommand(services),
        new SetPartitionThroughputCommand(services.databases()),
        new ShardCollectionCommand(services.databases(), collections),
        new SplitPartitionCommand(services.databases(), collections),
        new StartRequestUnitScopeCommand(services.ledgers()));
  }
}
