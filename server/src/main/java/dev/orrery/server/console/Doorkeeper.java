package dev.orrery.server.console;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.auth.Login;
import dev.orrery.server.auth.Logins;
import dev.orrery.server.auth.Security;
import dev.orrery.server.auth.User;
import dev.orrery.server.auth.UserName;
import dev.orrery.server.console.api.ApiException;
import dev.orrery.server.console.api.Caller;
import dev.orrery.server.console.http.HttpHead;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Lets in whoever may come in. Without authentication that is everybody. With it, people log in by
 * SCRAM, so that their password never leaves the browser, and have a session; programs send name
 * and password with each request (HTTP Basic), which are checked against the same credentials.
 */
final class Doorkeeper {
  /** Sent with whatever changes something: no page of another site can send it. */
  static final String HEADER = "x-orrery-console";

  private static final Duration REMEMBERED = Duration.ofMinutes(5);
  private static final int REMEMBERED_MAX = 1_000;
  private static final int CONVERSATIONS_MAX = 200;
  private static final Duration CONVERSATION = Duration.ofMinutes(1);
  private static final int CONVERSATION_BYTES = 16;

  private final Security security;
  private final SessionStore sessions;
  private final SecureRandom random;
  private final @Nullable Caller everybody;

  /** Logins that go on, by a name that cannot be guessed. */
  private final Cache<String, Pending> conversations =
      Caffeine.newBuilder()
          .expireAfterWrite(CONVERSATION)
          .maximumSize(CONVERSATIONS_MAX)
          .executor(Runnable::run)
          .build();

  /** Who was let in lately by name and password; deriving keys from a password is dear. */
  private final Cache<Digest, Known> remembered;

  private final byte[] secret = new byte[32];

  private record Pending(Logins.Attempt attempt, int conversation) {}

  /** What a program sent. */
  private record Basic(UserName name, String password) {
    @Override
    public String toString() {
      return name.toString(); // a log must not show the password
    }
  }

  /** The same, so that nobody can tell the password from it. */
  private record Digest(UserName name, String password, String address) {}

  /**
   * Somebody who was let in.
   *
   * @param user as of then: a change of the password, or of anything, asks again
   */
  private record Known(Caller caller, User user) {}

  Doorkeeper(Security security, SessionStore sessions, SecureRandom random) {
    this.security = security;
    this.sessions = sessions;
    this.random = random;
    random.nextBytes(secret);
    this.remembered =
        Caffeine.newBuilder()
            .expireAfterWrite(REMEMBERED)
            .maximumSize(REMEMBERED_MAX)
            .executor(Runnable::run)
            .removalListener(
                (Digest digest, Known known, RemovalCause cause) -> sessions.release(known.caller))
            .build();
    this.everybody =
        security.isEnforced() ? null : sessions.caller(new Login(), "127.0.0.1:0", "127.0.0.1:0");
  }

  /** Whoever sent the request, as far as that is known at once; null for a stranger. */
  @Nullable Caller find(HttpHead head) {
    if (everybody != null) {
      return everybody;
    }
    Caller caller = sessions.find(head.cookie(cookieName(head)));
    return caller != null && security.isKnown(caller.login()) ? caller : null;
  }

  /** Whoever sent the request; fails for a stranger. */
  CompletionStage<Caller> require(HttpHead head) {
    Caller caller = find(head);
    if (caller != null) {
      return CompletableFuture.completedFuture(caller);
    }
    Basic basic = basic(head);
    if (basic == null) {
      return CompletableFuture.failedFuture(
          new ApiException(401, "AuthenticationRequired", "log in first"));
    }
    Digest digest = digest(basic, head);
    Known known = remembered.getIfPresent(digest);
    if (known != null && known.user == security.accounts().find(basic.name)) {
      return CompletableFuture.completedFuture(known.caller);
    }
    return checkPassword(head, basic, digest);
  }

  private Digest digest(Basic basic, HttpHead head) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      byte[] sum = mac.doFinal(basic.password.getBytes(StandardCharsets.UTF_8));
      return new Digest(basic.name, Base64.getEncoder().encodeToString(sum), host(head.remote()));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  private CompletionStage<Caller> checkPassword(HttpHead head, Basic basic, Digest digest) {
    Logins.Attempt attempt = attempt(head);
    return security
        .logInWithPassword(attempt, basic.name, basic.password)
        .thenApply(
            ignored -> {
              var caller =
                  sessions.caller(attempt.login(), text(head.remote()), text(head.local()));
              User user = security.accounts().find(basic.name);
              if (user != null) {
                remembered.put(digest, new Known(caller, user));
              }
              return caller;
            });
  }

  private static @Nullable Basic basic(HttpHead head) {
    String header = head.header("authorization");
    if (header == null || !header.regionMatches(true, 0, "Basic ", 0, 6)) {
      return null;
    }
    try {
      String text =
          new String(
              Base64.getDecoder().decode(header.substring(6).strip()), StandardCharsets.UTF_8);
      int colon = text.indexOf(':');
      if (colon < 0) {
        return null;
      }
      return new Basic(userName(text.substring(0, colon)), text.substring(colon + 1));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** {@code name@database}; in {@code admin} when no database is named. */
  static UserName userName(String text) {
    int at = text.lastIndexOf('@');
    return at < 0
        ? new UserName(text, "admin")
        : new UserName(text.substring(0, at), text.substring(at + 1));
  }

  private static Logins.Attempt attempt(HttpHead head) {
    return new Logins.Attempt(new Login(), host(head.remote()), host(head.local()));
  }

  /** What the browser is told of a login that goes on. */
  record Challenge(String conversation, byte[] payload) {}

  /** Begins a login by SCRAM. */
  CompletionStage<Challenge> begin(HttpHead head, Logins.Start start) {
    Logins.Attempt attempt = attempt(head);
    return security
        .logins()
        .start(attempt, start)
        .thenApply(
            step -> {
              byte[] bytes = new byte[CONVERSATION_BYTES];
              random.nextBytes(bytes);
              String id = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
              conversations.put(id, new Pending(attempt, step.conversationId()));
              return new Challenge(id, step.payload());
            });
  }

  /** Somebody who has proved who he is. */
  record Welcome(byte[] payload, String token, Login login) {}

  /** Ends a login: fails, or begins a session. */
  CompletionStage<Welcome> proceed(HttpHead head, String conversation, byte[] payload) {
    Pending pending = conversations.getIfPresent(conversation);
    if (pending == null) {
      throw new CommandException(ErrorCode.AUTHENTICATION_FAILED, "Authentication failed.");
    }
    conversations.invalidate(conversation);
    Login login = pending.attempt.login();
    return security
        .logins()
        .proceed(pending.attempt, pending.conversation, payload)
        .thenApply(
            step ->
                new Welcome(
                    step.payload(),
                    sessions.begin(login, text(head.remote()), text(head.local())),
                    login));
  }

  /** Refuses what a page of another site may have made a browser send. */
  static void requireOwnPage(HttpHead head) {
    String site = head.header("sec-fetch-site");
    boolean isForeign = site != null && !site.equals("same-origin") && !site.equals("none");
    String origin = head.header("origin");
    boolean isElsewhere = origin != null && !HostCheck.isSame(origin, head.header("host"));
    boolean isUnmarked = !head.isSafe() && head.header(HEADER) == null;
    if (isForeign || isElsewhere || isUnmarked) {
      throw new ApiException(
          403,
          "ForeignPage",
          "only the console's own pages may ask for this; programs send the header X-Orrery-Console");
    }
  }

  void end(HttpHead head) {
    String token = head.cookie(cookieName(head));
    if (token != null) {
      sessions.end(token);
    }
  }

  /** Browsers do not tell ports apart, and there may be several servers on one machine. */
  static String cookieName(HttpHead head) {
    return "orrery-session-" + head.local().getPort();
  }

  static String cookie(HttpHead head, String token) {
    return cookieName(head)
        + "="
        + token
        + "; Path=/; HttpOnly; SameSite=Strict"
        + (token.isEmpty() ? "; Max-Age=0" : "")
        + (head.isSecure() ? "; Secure" : "");
  }

  private static String host(InetSocketAddress address) {
    String text = address.getAddress().getHostAddress();
    return text.indexOf(':') < 0 ? text : "[" + text + "]";
  }

  private static String text(InetSocketAddress address) {
    return host(address) + ":" + address.getPort();
  }
}
