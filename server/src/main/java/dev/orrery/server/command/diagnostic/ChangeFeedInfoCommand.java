package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.storage.ChangeFeed;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt64;
import org.bson.BsonTimestamp;

/**
 * {@code changeFeedInfo}: how far back change streams can begin, with the figures that {@code
 * db.getReplicationInfo()} has of an oplog.
 */
final class ChangeFeedInfoCommand implements Command {
  private static final double SECONDS_PER_HOUR = 3600;
  private static final double MEGABYTE = 1 << 20;

  private final Databases databases;

  ChangeFeedInfoCommand(Databases databases) {
    this.databases = databases;
  }

  @Override
  public Spec spec() {
    return Spec.of("changeFeedInfo", Access.READ);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.value("changeFeedInfo");
    body.finish();
    ChangeFeed feed = databases.engine().changes();
    var first = new BsonTimestamp(feed.oldest());
    var last = new BsonTimestamp(feed.newest());
    long seconds = Math.max(0, (long) last.getTime() - first.getTime());
    var reply = new BsonDocument();
    long bytes = databases.engine().figures().logBytes();
    if (bytes >= 0) { // an engine may not know
      reply.append("usedMB", new BsonDouble(bytes / MEGABYTE));
    }
    return reply
        .append("timeDiff", new BsonInt64(seconds))
        .append("timeDiffHours", new BsonDouble(seconds / SECONDS_PER_HOUR))
        .append("tFirst", first)
        .append("tLast", last);
  }
}
