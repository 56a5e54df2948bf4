package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.operation.Top;
import dev.orrery.server.operation.Top.Sum;
import dev.orrery.server.operation.Top.Use;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;

/** {@code top}: how often each collection was used since the start, and how long that took. */
final class TopCommand implements Command {
  private static final List<String> WORDS =
      List.of("queries", "getmore", "insert", "update", "remove", "commands");

  private final Top top;

  TopCommand(Top top) {
    this.top = top;
  }

  @Override
  public Spec spec() {
    return Spec.of("top", Access.ADMIN, Trait.ADMIN_DATABASE, Trait.LONG);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    var totals = new BsonDocument("note", new BsonString("all times in microseconds"));
    top.sums().forEach((namespace, sums) -> totals.append(namespace, uses(sums)));
    return new BsonDocument("totals", totals);
  }

  private static BsonDocument uses(Map<Use, Sum> sums) {
    Map<Use, Sum> ordered = new EnumMap<>(sums);
    var uses =
        new BsonDocument("total", sum(ordered, use -> true))
            .append("readLock", sum(ordered, Use::isRead))
            .append("writeLock", sum(ordered, use -> !use.isRead()));
    WORDS.forEach(word -> uses.append(word, sum(ordered, use -> use.word().equals(word))));
    return uses;
  }

  private static BsonDocument sum(Map<Use, Sum> sums, Predicate<Use> which) {
    long nanos = 0;
    long count = 0;
    for (var each : sums.entrySet()) {
      if (which.test(each.getKey())) {
        nanos += each.getValue().nanos();
        count += each.getValue().count();
      }
    }
    return new BsonDocument("time", new BsonInt64(TimeUnit.NANOSECONDS.toMicros(nanos)))
        .append("count", new BsonInt64(count));
  }
}
