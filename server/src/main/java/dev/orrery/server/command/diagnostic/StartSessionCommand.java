package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.session.SessionId;
import dev.orrery.server.session.Sessions;
import java.util.UUID;
import java.util.function.Supplier;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/** {@code startSession}: begins a session with an id of the server's choice. */
final class StartSessionCommand implements Command {
  private final Sessions sessions;
  private final Supplier<UUID> ids;

  StartSessionCommand(Sessions sessions, Supplier<UUID> ids) {
    this.sessions = sessions;
    this.ids = ids;
  }

  @Override
  public Spec spec() {
    return Spec.of("startSession", Access.ANONYMOUS);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    UUID id = ids.get();
    sessions.use(new SessionId(id, context.connection().login().owner()));
    return new BsonDocument("id", new BsonDocument("id", new BsonBinary(id)))
        .append("timeoutMinutes", new BsonInt32((int) Sessions.TIMEOUT.toMinutes()));
  }
}
