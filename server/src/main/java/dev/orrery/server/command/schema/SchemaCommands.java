package dev.orrery.server.command.schema;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.data.PipelineCheck;
import dev.orrery.server.cursor.CursorRegistry;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/** The commands that define and look after databases, collections, views and indexes. */
public final class SchemaCommands {
  private SchemaCommands() {}

  /**
   * All of them.
   *
   * @param pipelines checks the pipelines of views
   * @param ids names index builds
   */
  public static List<Command> all(
      Databases databases, CursorRegistry cursors, PipelineCheck pipelines, Supplier<UUID> ids) {
    var views = new ViewDefinitions(databases, pipelines);
    var listings = new Listings(cursors);
    var filters = new PlanCacheFilterCommands(databases);
    return List.of( // sorted by command name
        new CloneCollectionAsCappedCommand(databases),
        new CollModCommand(databases, views),
        new CompactCommand(databases),
        new ConvertToCappedCommand(databases),
        new CreateCommand(databases, views),
        new CreateIndexesCommand(databases, ids),
        new DropCommand(databases),
        new DropDatabaseCommand(databases),
        new DropIndexesCommand(databases),
        new ListCollectionsCommand(databases, listings),
        new ListDatabasesCommand(databases),
        new ListIndexesCommand(databases, listings),
        new MapReduceCommand(),
        new PlanCacheClearCommand(),
        filters.clear(),
        filters.list(),
        filters.set(),
        new ReIndexCommand(databases),
        new RenameCollectionCommand(databases),
        new ValidateCommand(databases));
  }
}
