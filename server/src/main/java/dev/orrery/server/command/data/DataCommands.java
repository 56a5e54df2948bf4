package dev.orrery.server.command.data;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.ServerFacts;
import java.util.List;

/** The commands on documents. */
public final class DataCommands {
  private DataCommands() {}

  /** {@code aggregations} are what reads of views become. */
  public static List<Command> list(
      DataServices services, ViewReader aggregations, ServerFacts facts) {
    var count = new CountCommand(services, aggregations);
    var delete = new DeleteCommand(services);
    var distinct = new DistinctCommand(services, aggregations);
    var find = new FindCommand(services, aggregations);
    var findAndModify = new FindAndModifyCommand(services);
    var update = new UpdateCommand(services);
    return List.of( // sorted by command name
        new AbortTransactionCommand(services.workers().ends()),
        new CommitTransactionCommand(services, services.workers().ends()),
        count,
        delete,
        distinct,
        new ExplainCommand(
            facts,
            services,
            aggregations,
            List.of(count, delete, distinct, find, findAndModify, update)),
        find,
        findAndModify,
        new GetMoreCommand(services),
        new InsertCommand(services),
        new KillCursorsCommand(services),
        update);
  }
}
