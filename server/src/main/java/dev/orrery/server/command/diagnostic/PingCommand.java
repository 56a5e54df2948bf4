package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import org.bson.BsonDocument;

/** {@code ping}: answers, which is all that is asked. */
public final class PingCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("ping", Access.ANONYMOUS, Trait.PUBLIC, Trait.STABLE_API);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    return new BsonDocument();
  }
}
