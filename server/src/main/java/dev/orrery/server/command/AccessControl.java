package dev.orrery.server.command;

import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Resource;

/** Who may run what. */
@FunctionalInterface
public interface AccessControl {
  /** Everybody may do everything: a server without authentication. */
  AccessControl OPEN = (request, spec, database) -> {};

  /** Throws Unauthorized when the user of the connection may not run the command there. */
  void require(Request request, Command.Spec spec, String database);

  /** Whether whoever is at the other end may do that, for commands that show a part to some. */
  default boolean allows(ClientConnection connection, Action action, Resource resource) {
    return true;
  }

  /** Whether whoever is at the other end may do anything at all in a database. */
  default boolean reaches(ClientConnection connection, String database) {
    return true;
  }

  /** The same with a collection. */
  default boolean reaches(ClientConnection connection, Resource collection) {
    return true;
  }

  /** Whether the server keeps a session for whoever is at the other end. */
  default boolean allowsSessions(ClientConnection connection) {
    return true;
  }
}
