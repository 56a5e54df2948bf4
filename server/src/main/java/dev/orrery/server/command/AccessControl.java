package dev.orrery.server.command;

/** Who may run what. */
@FunctionalInterface
public interface AccessControl {
  /** Everybody may do everything: a server without authentication. */
  AccessControl OPEN = (connection, spec, database) -> {};

  /** Throws Unauthorized when the user of the connection may not run the command there. */
  void require(ClientConnection connection, Command.Spec spec, String database);
}
