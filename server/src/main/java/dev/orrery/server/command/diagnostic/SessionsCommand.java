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
import java.util.function.BiConsumer;
import org.bson.BsonDocument;

/**
 * {@code endSessions}, {@code refreshSessions} and {@code killSessions}: something is done to each
 * session of a list. Unknown sessions are no error: the client may be the first to name them.
 */
final class SessionsCommand implements Command {
  /** As many as drivers put into one command. */
  static final int SESSIONS_MAX = 10_000;

  private final Spec spec;
  private final Sessions sessions;
  private final BiConsumer<Sessions, SessionId> action;

  private SessionsCommand(Spec spec, Sessions sessions, BiConsumer<Sessions, SessionId> action) {
    this.spec = spec;
    this.sessions = sessions;
    this.action = action;
  }

  static SessionsCommand end(Sessions sessions) {
    Spec spec = Spec.of("endSessions", Access.ANONYMOUS, Trait.STABLE_API, Trait.WRITE_CONCERN);
    return new SessionsCommand(spec, sessions, Sessions::end);
  }

  /** Also ends what runs in them. */
  static SessionsCommand kill(Sessions sessions, Operations operations) {
    return new SessionsCommand(
        Spec.of("killSessions", Access.READ).fieldsOf("KillSessionsCmd"),
        sessions,
        (all, id) -> {
          operations.kill(each -> id.equals(each.subject().session()), ErrorCode.INTERRUPTED);
          all.end(id);
        });
  }

  static SessionsCommand refresh(Sessions sessions) {
    Spec spec = Spec.of("refreshSessions", Access.ANONYMOUS, Trait.STABLE_API);
    return new SessionsCommand(spec, sessions, Sessions::use);
  }

  /** In MongoDB's messages the list of these commands has another name. */
  private String suffix() {
    return spec.name().equals("killSessions") ? "" : "FromClient";
  }

  @Override
  public Spec spec() {
    return spec;
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    List<RawDocument> documents = body.documents(spec.name());
    body.finish();
    String path = spec.fieldsOf() + "." + spec.name() + suffix();
    List<SessionId> ids =
        documents.stream()
            .limit(SESSIONS_MAX)
            .map(document -> SessionFields.sessionId(path, document))
            .toList();
    String owner = context.connection().login().owner();
    ids.forEach(id -> action.accept(sessions, new SessionId(id.id(), owner)));
    return new BsonDocument();
  }
}
