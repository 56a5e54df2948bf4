package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Resource;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.throughput.Metering;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import org.bson.BsonArray;
import org.bson.BsonDocument;

/**
 * {@code ruStatistics}: what requests cost. Of a collection: by partition and partition key; with 1
 * instead of a name: of every collection of the database that the user may read, and by command,
 * shape of command, application and comment. Those are of all databases, so they are for users who
 * may see what others do.
 */
final class RuStatisticsCommand implements Command {
  private final CosmosServices services;

  RuStatisticsCommand(CosmosServices services) {
    this.services = services;
  }

  @Override
  public Spec spec() {
    return Spec.of("ruStatistics", Access.READ, Trait.LONG);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    RawValue target = body.value("ruStatistics");
    int seconds = seconds(body);
    body.finish();
    if (target != null && target.type() == RawTypes.STRING) {
      CollectionStore collection =
          Partitions.require(services.databases(), context.database(), target.asString());
      return services.metering().report(collection, seconds);
    }
    var collections = new BsonArray();
    for (CollectionStore collection : services.databases().in(context.database())) {
      CollectionInfo info = collection.info();
      var resource = Resource.collection(context.database(), info.namespace().collection());
      if (!info.isView() && context.allows(Action.FIND, resource)) {
        collections.add(services.metering().report(collection, seconds));
      }
    }
    var reply = new BsonDocument("collections", collections);
    if (context.allows(Action.INPROG, Resource.CLUSTER)) {
      reply.putAll(services.metering().reportOrigins(seconds));
    }
    return reply;
  }

  private static int seconds(CommandReader body) {
    long seconds = body.int64("seconds", Metering.WINDOW_SECONDS_MAX);
    if (seconds < 1 || seconds > Metering.WINDOW_SECONDS_MAX) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "'seconds' must be between 1 and %d, found: %d"
              .formatted(Metering.WINDOW_SECONDS_MAX, seconds));
    }
    return (int) seconds;
  }
}
