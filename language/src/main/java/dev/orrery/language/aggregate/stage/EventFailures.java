package dev.orrery.language.aggregate.stage;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** What ends a change stream for good: drivers need not try to go on. */
public final class EventFailures {
  private EventFailures() {}

  public static CommandException fatal(ErrorCode code, String message) {
    var labels = new BsonArray();
    labels.add(new BsonString("NonResumableChangeStreamError"));
    return new CommandException(code, message, new BsonDocument("errorLabels", labels));
  }
}
