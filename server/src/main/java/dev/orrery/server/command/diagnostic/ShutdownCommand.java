package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import org.bson.BsonDocument;

/** {@code shutdown}: stops the server cleanly; commands under way may end. */
final class ShutdownCommand implements Command {
  private final Runnable stop;

  ShutdownCommand(Runnable stop) {
    this.stop = stop;
  }

  @Override
  public Spec spec() {
    return Spec.of("shutdown", Access.ADMIN, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.ignore("force", "timeoutSecs"); // there is no other member to wait for
    body.finish();
    context.connection().closeAfterReply();
    stop.run();
    return new BsonDocument();
  }
}
