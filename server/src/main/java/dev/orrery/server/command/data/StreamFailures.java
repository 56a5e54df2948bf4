package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** What drivers must know of an error of a change stream: whether to open it again. */
final class StreamFailures {
  private static final String LABELS = "errorLabels";

  /** What has nothing to do with the stream, but with the server and its network. */
  private static final Set<ErrorCode> PASSING =
      Set.of(ErrorCode.INTERRUPTED_AT_SHUTDOWN, ErrorCode.SHUTDOWN_IN_PROGRESS);

  private StreamFailures() {}

  static CommandException during(String what, CommandException error) {
    var details = new BsonDocument();
    if (PASSING.contains(error.code()) && !error.details().containsKey(LABELS)) {
      var labels = new BsonArray();
      labels.add(new BsonString("ResumableChangeStreamError"));
      details.append(LABELS, labels);
    }
    details.putAll(error.details());
    return Cursors.during(what, new CommandException(error.code(), error.getMessage(), details));
  }
}
