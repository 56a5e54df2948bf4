package dev.orrery.server.command.security;

import dev.orrery.server.auth.Logins;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.StagedCommand;
import java.util.concurrent.CompletionStage;
import org.bson.BsonDocument;

/** {@code saslStart}: the first message of a login with a password. */
final class SaslStartCommand implements StagedCommand {
  private final Logins logins;

  SaslStartCommand(Logins logins) {
    this.logins = logins;
  }

  @Override
  public Spec spec() {
    return Spec.of("saslStart", Access.ANONYMOUS, Trait.PUBLIC, Trait.STABLE_API);
  }

  @Override
  public CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
    Logins.Start start = SaslPayload.start(body, context.database());
    body.finish();
    return logins.start(context.connection().loginAttempt(), start).thenApply(SaslPayload::reply);
  }
}
