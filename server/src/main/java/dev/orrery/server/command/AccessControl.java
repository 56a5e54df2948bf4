package dev.orrery.server.command;

/** Who may run what. */
@FunctionalInterface
public interface AccessControl {
  /** Everybody may do everything: a server without authentication. */
  AccessControl OPEN = (request, spec, database) -> {};

  /** Throws Unauthorized when the user of the connection may not run the command there. */
  void require(Request request, Command.Spec spec, String database);

  /** Whether whoever is at the other end may know that a database exists. */
  default boolean sees(ClientConnection connection, String database) {
    return true;
  }

  /** Whether the server keeps a session for whoever is at the other end. */
  default boolean allowsSessions(ClientConnection connection) {
    return true;
  }
}
