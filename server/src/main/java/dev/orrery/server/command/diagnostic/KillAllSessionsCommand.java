package dev.orrery.server.command.diagnostic;

import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.SessionFields;
import dev.orrery.server.operation.Operations;
import dev.orrery.server.session.SessionId;
import dev.orrery.server.session.Sessions;
import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.function.Predicate;
import org.bson.BsonDocument;

/**
 * {@code killAllSessions} and {@code killAllSessionsByPattern}: the sessions of the named users, or
 * those that a pattern fits, or all of them without any; with what runs in them.
 */
final class KillAllSessionsCommand implements Command {
  private final Spec spec;
  private final Sessions sessions;
  private final Operations operations;
  private final boolean isByPattern;

  private KillAllSessionsCommand(
      String name, Sessions sessions, Operations operations, boolean isByPattern) {
    this.spec = Spec.of(name, Access.ADMIN);
    this.sessions = sessions;
    this.operations = operations;
    this.isByPattern = isByPattern;
  }

  static KillAllSessionsCommand byUser(Sessions sessions, Operations operations) {
    return new KillAllSessionsCommand("killAllSessions", sessions, operations, false);
  }

  static KillAllSessionsCommand byPattern(Sessions sessions, Operations operations) {
    return new KillAllSessionsCommand("killAllSessionsByPattern", sessions, operations, true);
  }

  @Override
  public Spec spec() {
    return spec;
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    List<RawDocument> given = body.documents(spec.name());
    body.finish();
    List<Predicate<SessionId>> patterns =
        given.stream().map(one -> isByPattern ? pattern(body, one) : user(body, one)).toList();
    Predicate<SessionId> which =
        id -> patterns.isEmpty() || patterns.stream().anyMatch(pattern -> pattern.test(id));
    operations.kill(
        each ->
            each.client() != context.connection()
                && each.subject().session() != null
                && which.test(each.subject().session()),
        ErrorCode.INTERRUPTED);
    sessions.endAll(which);
    return new BsonDocument();
  }

  /** {@code user@db}. */
  private Predicate<SessionId> user(CommandReader body, RawDocument user) {
    return owner(body.element(spec.name(), user));
  }

  private static Predicate<SessionId> owner(CommandReader reader) {
    String owner = reader.requireString("user") + "@" + reader.requireString("db");
    reader.finish();
    return id -> id.owner().equals(owner);
  }

  private Predicate<SessionId> pattern(CommandReader body, RawDocument pattern) {
    CommandReader reader = body.element(spec.name(), pattern);
    RawDocument session = reader.rawDocument("lsid");
    List<RawDocument> users = reader.documents("users");
    reader.reject("uid", "roles");
    reader.finish();
    SessionId id = session == null ? null : SessionFields.sessionId(spec.name() + ".lsid", session);
    List<Predicate<SessionId>> owners =
        users.stream().map(user -> owner(reader.element("users", user))).toList();
    return each ->
        (id == null || each.id().equals(id.id()))
            && (owners.isEmpty() || owners.stream().anyMatch(owner -> owner.test(each)));
  }
}
