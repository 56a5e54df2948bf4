package dev.orrery.server.command.security;

import dev.orrery.server.auth.Logins;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.StagedCommand;
import java.util.concurrent.CompletionStage;
import org.bson.BsonDocument;

/** {@code saslContinue}: the further messages of a login with a password. */
final class SaslContinueCommand implements StagedCommand {
  private final Logins logins;

  SaslContinueCommand(Logins logins) {
    this.logins = logins;
  }

  @Override
  public Spec spec() {
    return Spec.of("saslContinue", Access.ANONYMOUS, Trait.PUBLIC, Trait.STABLE_API);
  }

  @Override
  public CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
    long conversation = body.int64("conversationId", 0);
    byte[] payload = SaslPayload.read(body);
    body.finish();
    return logins
        .proceed(context.connection().loginAttempt(), conversation, payload)
        .thenApply(SaslPayload::reply);
  }
}
