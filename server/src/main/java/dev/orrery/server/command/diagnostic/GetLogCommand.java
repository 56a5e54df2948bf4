package dev.orrery.server.command.diagnostic;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;

/** {@code getLog}: the last lines of the log; there are no start-up warnings. */
final class GetLogCommand implements Command {
  private final RecentLog log;

  GetLogCommand(RecentLog log) {
    this.log = log;
  }

  @Override
  public Spec spec() {
    return Spec.of("getLog", Access.READ, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String name = body.requireString("getLog");
    body.finish();
    return switch (name) {
      case "*" -> new BsonDocument("names", strings(List.of("global", "startupWarnings")));
      case "global" -> reply(log.total(), log.lines());
      case "startupWarnings" -> reply(0, List.of());
      default ->
          throw new CommandException(ErrorCode.OPERATION_FAILED, "No log named '" + name + "'");
    };
  }

  private static BsonDocument reply(long total, List<String> lines) {
    BsonValue count =
        total <= Integer.MAX_VALUE ? new BsonInt32((int) total) : new BsonInt64(total);
    return new BsonDocument("totalLinesWritten", count).append("log", strings(lines));
  }

  private static BsonArray strings(List<String> texts) {
    var array = new BsonArray(texts.size());
    texts.forEach(text -> array.add(new BsonString(text)));
    return array;
  }
}
