package dev.orrery.server.auth;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How far a connection has come in saying who it is. One request is in flight per connection, so
 * this needs visibility between threads, not locks.
 */
public final class Login {
  private volatile @Nullable Identity identity;
  private volatile @Nullable Open open;

  /** Somebody who has proved to be that user. */
  public record Identity(UserName name, UUID id) {}

  /**
   * A conversation that goes on.
   *
   * @param proven who the client has proved to be, when only the empty last exchange is missing
   */
  record Open(
      int id, ScramConversation scram, boolean skipsEmptyExchange, @Nullable Identity proven) {
    Open proven(Identity identity) {
      return new Open(id, scram, skipsEmptyExchange, identity);
    }
  }

  /** Who is logged in, or null. */
  public @Nullable Identity identity() {
    return identity;
  }

  /** Whose sessions and cursors are made on the connection; empty for nobody's. */
  public String owner() {
    Identity current = identity;
    return current == null ? "" : current.name().toString();
  }

  void succeed(Identity proven) {
    identity = proven;
    open = null;
  }

  public void logout() {
    identity = null;
    open = null;
  }

  @Nullable Open open() {
    return open;
  }

  void continueWith(@Nullable Open next) {
    open = next;
  }
}
