package dev.orrery.server.auth;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.auth.Login.Identity;
import dev.orrery.server.auth.ScramConversation.ScramException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs connections in. The server's part of SCRAM is a handful of hashes: the dear part, PBKDF2, is
 * the client's, so a storm of logins costs the clients more than us. Whatever goes wrong is told in
 * the same words and after a while.
 */
public final class Logins {
  private static final Logger LOG = LoggerFactory.getLogger(Logins.class);
  private static final int NONCE_BYTES = 24;

  private final Accounts accounts;
  private final LoginGuard guard;
  private final SecureRandom random;
  private final AtomicInteger lastConversation = new AtomicInteger();

  Logins(Accounts accounts, LoginGuard guard, SecureRandom random) {
    this.accounts = accounts;
    this.guard = guard;
    this.random = random;
  }

  /** One login on one connection, from that address. */
  public record Attempt(Login login, String address, String serverAddress) {}

  /** The first message of a client. */
  public record Start(
      String database, String mechanism, byte[] payload, boolean skipsEmptyExchange) {}

  /** What the client gets: its conversation, whether that is over, and the next message. */
  public record Step(int conversationId, boolean isDone, byte[] payload) {}

  /** Begins a conversation; one that was open is forgotten. */
  public CompletionStage<Step> start(Attempt attempt, Start start) {
    attempt.login().continueWith(null);
    ScramMechanism mechanism = ScramMechanism.find(start.mechanism());
    if (mechanism == null) {
      throw new CommandException(
          ErrorCode.MECHANISM_UNAVAILABLE,
          "Received authentication for mechanism %s which is unknown or not enabled"
              .formatted(start.mechanism()));
    }
    try {
      var scram =
          ScramConversation.start(
              start.database(),
              start.payload(),
              nonce(),
              name -> accounts.credential(mechanism, name));
      int id = lastConversation.incrementAndGet() & Integer.MAX_VALUE;
      attempt.login().continueWith(new Login.Open(id, scram, start.skipsEmptyExchange(), null));
      return CompletableFuture.completedFuture(new Step(id, false, scram.serverFirst()));
    } catch (ScramException e) {
      return fail(attempt, "@" + start.database(), e.getMessage());
    }
  }

  /** The next message of the client. */
  public CompletionStage<Step> proceed(Attempt attempt, long conversationId, byte[] payload) {
    Login.Open open = attempt.login().open();
    if (open == null) {
      throw new CommandException(ErrorCode.PROTOCOL_ERROR, "No SASL session state found");
    }
    attempt.login().continueWith(null);
    if (open.id() != conversationId) {
      throw new CommandException(ErrorCode.PROTOCOL_ERROR, "sasl: Mismatched conversation id");
    }
    if (open.proven() != null) {
      attempt.login().succeed(open.proven());
      return CompletableFuture.completedFuture(new Step(open.id(), true, new byte[0]));
    }
    UserName name = open.scram().user();
    try {
      byte[] answer = open.scram().finish(payload);
      User user = accounts.findLogin(name);
      if (user == null) {
        return fail(attempt, name.toString(), "the user was dropped meanwhile");
      }
      if (!user.restrictions().allow(attempt.address(), attempt.serverAddress())) {
        return fail(attempt, name.toString(), "not allowed from that address");
      }
      return prove(attempt, open, new Identity(user.name(), user.id()))
          .thenApply(isDone -> new Step(open.id(), isDone, answer));
    } catch (ScramException e) {
      return fail(attempt, name.toString(), e.getMessage());
    }
  }

  private CompletionStage<Boolean> prove(Attempt attempt, Login.Open open, Identity identity) {
    return guard
        .succeeded(attempt.address(), identity.name().toString())
        .thenApply(
            ignored -> {
              if (open.skipsEmptyExchange()) {
                attempt.login().succeed(identity);
                LOG.info("{} logged in from {}", identity.name(), attempt.address());
              } else {
                attempt.login().continueWith(open.proven(identity));
              }
              return open.skipsEmptyExchange();
            });
  }

  /**
   * Logs in the user that the certificate of the client names.
   *
   * @param subject of the certificate that the TLS layer checked, or null when there is none
   * @param claimed the name that the client gave, or null
   */
  public CompletionStage<UserName> withCertificate(
      Attempt attempt, @Nullable String subject, @Nullable String claimed) {
    attempt.login().continueWith(null);
    if (subject == null || claimed != null && !claimed.equals(subject)) {
      return fail(attempt, String.valueOf(claimed), "there is no certificate of that name");
    }
    var name = new UserName(subject, UserName.EXTERNAL);
    User user = accounts.find(name);
    if (user == null) {
      return fail(attempt, name.toString(), "unknown user");
    }
    if (!user.restrictions().allow(attempt.address(), attempt.serverAddress())) {
      return fail(attempt, name.toString(), "not allowed from that address");
    }
    attempt.login().succeed(new Identity(name, user.id()));
    return CompletableFuture.completedFuture(name);
  }

  /** Logs in a user whose password was checked, or tells as late as others that it was wrong. */
  CompletionStage<Void> withPassword(Attempt attempt, UserName name, boolean isRight) {
    User user = accounts.find(name);
    if (!isRight || user == null) {
      return fail(attempt, name.toString(), "wrong password or unknown user");
    }
    if (!user.restrictions().allow(attempt.address(), attempt.serverAddress())) {
      return fail(attempt, name.toString(), "not allowed from that address");
    }
    return guard
        .succeeded(attempt.address(), name.toString())
        .thenAccept(ignored -> attempt.login().succeed(new Identity(name, user.id())));
  }

  /** The mechanisms that a user can log in with; all of them for one that does not exist. */
  public List<String> mechanisms(UserName name) {
    User user = accounts.findLogin(name);
    return Arrays.stream(ScramMechanism.values())
        .filter(each -> user == null || user.credentials().mechanisms().contains(each))
        .map(ScramMechanism::wireName)
        .toList();
  }

  /** Tells the client nothing but that it failed, later. */
  public <T> CompletionStage<T> fail(Attempt attempt, String user, String reason) {
    return guard
        .failed(attempt.address(), user, reason)
        .thenApply(
            ignored -> {
              throw new CommandException(ErrorCode.AUTHENTICATION_FAILED, "Authentication failed.");
            });
  }

  private String nonce() {
    byte[] bytes = new byte[NONCE_BYTES];
    random.nextBytes(bytes);
    return Base64.getEncoder().encodeToString(bytes);
  }
}
