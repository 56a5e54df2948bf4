package dev.orrery.server.ledger;

import dev.orrery.server.session.SessionId;
import org.jspecify.annotations.Nullable;

/**
 * Whose requests are counted: those of a session, those with a comment, those of clients with a
 * name, those of a database, or all.
 */
public sealed interface CostScope {
  /** Whether the request belongs to it. */
  boolean has(Subjects request);

  /** What a scope may ask of a request. */
  record Subjects(
      @Nullable SessionId session,
      @Nullable String comment,
      @Nullable String application,
      String database) {}

  /** Every request. */
  record All() implements CostScope {
    @Override
    public boolean has(Subjects request) {
      return true;
    }
  }

  /** Requests of one session. */
  record OfSession(SessionId session) implements CostScope {
    @Override
    public boolean has(Subjects request) {
      return session.equals(request.session);
    }
  }

  /** Requests with one comment. */
  record OfComment(String comment) implements CostScope {
    @Override
    public boolean has(Subjects request) {
      return comment.equals(request.comment);
    }
  }

  /** Requests of clients that call themselves so. */
  record OfApplication(String application) implements CostScope {
    @Override
    public boolean has(Subjects request) {
      return application.equals(request.application);
    }
  }

  /** Requests to one database. */
  record OfDatabase(String database) implements CostScope {
    @Override
    public boolean has(Subjects request) {
      return database.equals(request.database);
    }
  }
}
