package dev.orrery.server.command;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.server.throughput.Metering;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.value.RawTypes;
import dev.orrery.storage.value.RawValue;
import org.bson.BsonArray;
import org.bson.BsonDocument;

/**
 * {@code ruStatistics}: what requests cost. Of a collection: by partition and partition key; with 1
 * instead of a name: of every collection of the database, and by command, shape of command,
 * application and comment.
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
      if (!collection.info().isView()) {
        collections.add(services.metering().report(collection, seconds));
      }
    }
    var reply = new BsonDocument("collections", collections);
    reply.putAll(services.metering().reportOrigins(seconds));
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
