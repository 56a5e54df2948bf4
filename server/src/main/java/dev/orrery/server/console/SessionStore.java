package dev.orrery.server.console;

import dev.orrery.server.auth.Login;
import dev.orrery.server.console.api.Caller;
import dev.orrery.server.console.api.CommandRunner;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Who is logged in to the console, by the token that their browser has. Kept in memory, by the hash
 * of the token: who reads the heap learns no token. Thread-safe.
 */
final class SessionStore {
  static final int SESSIONS_MAX = 1_000;
  static final long IDLE_NANOS = TimeUnit.HOURS.toNanos(8);
  private static final int TOKEN_BYTES = 32;

  private static final class Session {
    final Caller caller;
    long usedNanos;

    Session(Caller caller, long usedNanos) {
      this.caller = caller;
      this.usedNanos = usedNanos;
    }
  }

  private final Map<String, Session> sessions = new LinkedHashMap<>(16, 0.75f, true);
  private final AtomicLong lastNumber = new AtomicLong();
  private final SecureRandom random;
  private final LongSupplier nanoClock;
  private final CommandRunner commands;

  SessionStore(SecureRandom random, LongSupplier nanoClock, CommandRunner commands) {
    this.random = random;
    this.nanoClock = nanoClock;
    this.commands = commands;
  }

  /** Begins a session; the result is the token. */
  String begin(Login login, String remote, String local) {
    byte[] bytes = new byte[TOKEN_BYTES];
    random.nextBytes(bytes);
    String token = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    Caller caller = caller(login, remote, local);
    List<Caller> ended = new ArrayList<>();
    synchronized (this) {
      sessions.put(hash(token), new Session(caller, nanoClock.getAsLong()));
      expire(ended);
    }
    ended.forEach(commands::close);
    return token;
  }

  /** Somebody whose cursors are his own. */
  Caller caller(Login login, String remote, String local) {
    var caller = new Caller(login, remote, local, lastNumber.incrementAndGet());
    commands.open(caller);
    return caller;
  }

  /** Ends what is left of somebody who was let in without a session. */
  void release(Caller caller) {
    commands.close(caller);
  }

  /** Those that nobody used for long, and the one used longest ago when there are too many. */
  private void expire(List<Caller> ended) {
    long now = nanoClock.getAsLong();
    var oldestFirst = sessions.values().iterator();
    while (oldestFirst.hasNext()) {
      Session session = oldestFirst.next();
      boolean isOver = now - session.usedNanos > IDLE_NANOS || sessions.size() > SESSIONS_MAX;
      if (!isOver) {
        return;
      }
      ended.add(session.caller);
      oldestFirst.remove();
    }
  }

  /** Whose token it is; null when it is nobody's any more. */
  synchronized @Nullable Caller find(@Nullable String token) {
    Session session = token == null ? null : sessions.get(hash(token));
    if (session == null) {
      return null;
    }
    long now = nanoClock.getAsLong();
    if (now - session.usedNanos > IDLE_NANOS) {
      return null; // and goes with the next login
    }
    session.usedNanos = now;
    return session.caller;
  }

  void end(String token) {
    Session ended;
    synchronized (this) {
      ended = sessions.remove(hash(token));
    }
    if (ended != null) {
      ended.caller.login().logout();
      commands.close(ended.caller);
    }
  }

  void endAll() {
    List<Caller> ended = new ArrayList<>();
    synchronized (this) {
      sessions.values().forEach(session -> ended.add(session.caller));
      sessions.clear();
    }
    ended.forEach(commands::close);
  }

  private static String hash(String token) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
      return Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }
}
