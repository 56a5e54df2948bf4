package dev.orrery.server.console.api;

import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Login;
import dev.orrery.server.auth.Resource;
import dev.orrery.server.command.AccessControl;
import dev.orrery.server.command.ClientConnection;
import dev.orrery.value.RawDocument;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * Whoever uses the console: a user who has logged in, or anybody where nobody has to. Commands are
 * run for a caller on connections that share the login, so roles hold as they do elsewhere.
 */
public final class Caller {
  /** Far beyond those of sockets, which count from 1. */
  private static final AtomicLong LAST_CONNECTION = new AtomicLong(1L << 40);

  public static final String APPLICATION = "orrery-console";

  private final Login login;
  private final String remote;
  private final String local;
  private final RawDocument metadata;
  private final ClientConnection anchor;

  /**
   * @param number another for each caller: cursors of one are not another's
   */
  public Caller(Login login, String remote, String local, long number) {
    this.login = login;
    this.remote = remote;
    this.local = local;
    this.metadata = metadata(number);
    this.anchor = connection();
  }

  private static RawDocument metadata(long number) {
    return RawDocument.of(
        new BsonDocument("application", new BsonDocument("name", new BsonString(APPLICATION)))
            .append(
                "driver",
                new BsonDocument("name", new BsonString("console"))
                    .append("session", new BsonInt64(number))));
  }

  /** For one command. */
  ClientConnection connection() {
    var connection =
        new ClientConnection(LAST_CONNECTION.incrementAndGet(), remote, local, () -> null, login);
    connection.introduce(metadata);
    return connection;
  }

  /** The connection that stays between commands, so that cursors do. */
  public ClientConnection anchor() {
    return anchor;
  }

  public Login login() {
    return login;
  }

  /** Whether the caller may do that. */
  public boolean allows(AccessControl access, Action action, Resource resource) {
    return access.allows(anchor, action, resource);
  }
}
