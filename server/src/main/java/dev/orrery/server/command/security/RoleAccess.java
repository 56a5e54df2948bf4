package dev.orrery.server.command.security;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Login;
import dev.orrery.server.auth.Resource;
import dev.orrery.server.auth.Security;
import dev.orrery.server.command.AccessControl;
import dev.orrery.server.command.ClientConnection;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.Command.Access;
import dev.orrery.server.command.Request;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;

/**
 * Lets in who is logged in and has a role that allows the command. As long as there has never been
 * a user, somebody on this machine may create the first one, and nothing else.
 */
public final class RoleAccess implements AccessControl {
  /** What must not appear in a message. */
  private static final List<String> SECRETS = List.of("pwd", "payload");

  /** A longer command is named in a message, not shown. */
  private static final int SHOWN_BYTES_MAX = 4096;

  private final Security security;

  public RoleAccess(Security security) {
    this.security = security;
  }

  @Override
  public void require(Request request, Command.Spec spec, String database) {
    boolean needsLogin = spec.access() != Access.ANONYMOUS || AccessRules.needsLogin(spec.name());
    if (!needsLogin) {
      return;
    }
    ClientConnection connection = request.connection();
    Login login = connection.login();
    if (!security.isKnown(login)) {
      if (isFirstUser(connection, spec, database)) {
        return;
      }
      throw new CommandException(
          ErrorCode.UNAUTHORIZED, "Command " + spec.name() + " requires authentication");
    }
    var call = new AccessRules.Call(spec, database, request, login.identity().name());
    if (!AccessRules.allow(security.grantsOf(login), call)) {
      throw new CommandException(
          ErrorCode.UNAUTHORIZED,
          "not authorized on %s to execute command %s".formatted(database, text(request)));
    }
  }

  private boolean isFirstUser(ClientConnection connection, Command.Spec spec, String database) {
    return spec.name().equals("createUser")
        && database.equals("admin")
        && connection.isLocal()
        && security.accounts().awaitFirstUser();
  }

  private static String text(Request request) {
    if (request.body().length() > SHOWN_BYTES_MAX) {
      return "{ " + request.commandName() + ": ... }";
    }
    BsonDocument shown = request.body().toBsonDocument();
    for (String secret : SECRETS) {
      if (shown.containsKey(secret)) {
        shown.put(secret, new BsonString("xxx"));
      }
    }
    return BsonText.document(shown);
  }

  @Override
  public boolean allows(ClientConnection connection, Action action, Resource resource) {
    return security.grantsOf(connection.login()).allows(action, resource);
  }

  @Override
  public boolean reaches(ClientConnection connection, String database) {
    return security.grantsOf(connection.login()).reaches(database);
  }

  @Override
  public boolean reaches(ClientConnection connection, Resource collection) {
    return security.grantsOf(connection.login()).reaches(collection);
  }

  @Override
  public boolean allowsSessions(ClientConnection connection) {
    return security.isKnown(connection.login());
  }
}
