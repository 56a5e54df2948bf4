package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import org.bson.BsonDocument;

/** {@code customAction}: Cosmos DB's commands on databases and collections with throughput. */
final class CustomActionCommand implements Command {
  private final DatabaseActions databaseActions;
  private final CollectionActions collectionActions;
  private final StreamActions streamActions;

  CustomActionCommand(CosmosServices services, PartitionedCollections collections) {
    this.databaseActions = new DatabaseActions(services.databases(), collections);
    this.collectionActions = new CollectionActions(services, collections);
    this.streamActions = new StreamActions(services.databases());
  }

  @Override
  public Spec spec() {
    return Spec.of("customAction", Access.ADMIN, Trait.LONG, Trait.WRITE_CONCERN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String action = body.requireString("customAction");
    return switch (action) {
      case "CreateDatabase" -> databaseActions.create(context, body);
      case "GetDatabase" -> databaseActions.describe(context, body);
      case "UpdateDatabase" -> databaseActions.update(context, body);
      case "CreateCollection" -> collectionActions.create(context, body);
      case "GetCollection" -> collectionActions.describe(context, body);
      case "UpdateCollection" -> collectionActions.update(context, body);
      case "GetChangeStreamTokens" -> streamActions.tokens(context, body);
      default ->
          throw new CommandException(
              ErrorCode.BAD_VALUE, "customAction '" + action + "' is not supported");
    };
  }
}
