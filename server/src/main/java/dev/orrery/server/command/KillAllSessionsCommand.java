package dev.orrery.server.command;

import dev.orrery.server.session.Sessions;
import dev.orrery.storage.value.RawDocument;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.bson.BsonDocument;

/** {@code killAllSessions}: the sessions of the named users, or of everybody. */
final class KillAllSessionsCommand implements Command {
  private final Sessions sessions;

  KillAllSessionsCommand(Sessions sessions) {
    this.sessions = sessions;
  }

  @Override
  public Spec spec() {
    return Spec.of("killAllSessions", Access.ADMIN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    List<RawDocument> users = body.documents("killAllSessions");
    body.finish();
    Set<String> owners = users.stream().map(user -> owner(body, user)).collect(Collectors.toSet());
    sessions.endAll(id -> owners.isEmpty() || owners.contains(id.owner()));
    return new BsonDocument();
  }

  /** {@code user@db}. */
  private static String owner(CommandReader body, RawDocument user) {
    CommandReader reader = body.element("killAllSessions", user);
    String owner = reader.requireString("user") + "@" + reader.requireString("db");
    reader.finish();
    return owner;
  }
}
