package dev.orrery.server.command.security;

import dev.orrery.server.auth.Logins;
import dev.orrery.server.auth.UserName;
import dev.orrery.server.command.ClientConnection;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.StagedCommand;
import java.util.concurrent.CompletionStage;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** {@code authenticate}: login by the certificate that the client showed to the TLS layer. */
public final class AuthenticateCommand implements StagedCommand {
  static final String MECHANISM = "MONGODB-X509";

  private final Logins logins;

  AuthenticateCommand(Logins logins) {
    this.logins = logins;
  }

  @Override
  public Spec spec() {
    return Spec.of("authenticate", Access.ANONYMOUS, Trait.PUBLIC, Trait.STABLE_API);
  }

  @Override
  public CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
    String mechanism = body.string("mechanism");
    String user = body.string("user");
    body.ignore("db");
    body.finish();
    return login(context, mechanism, user);
  }

  private CompletionStage<BsonDocument> login(
      CommandContext context, String mechanism, String user) {
    ClientConnection connection = context.connection();
    boolean isOurs = MECHANISM.equals(mechanism) && context.database().equals(UserName.EXTERNAL);
    String subject = isOurs ? connection.certificateSubject() : null;
    return logins
        .withCertificate(connection.loginAttempt(), subject, user)
        .thenApply(AuthenticateCommand::reply);
  }

  public static BsonDocument reply(UserName name) {
    return new BsonDocument("dbname", new BsonString(name.database()))
        .append("user", new BsonString(name.user()));
  }
}
