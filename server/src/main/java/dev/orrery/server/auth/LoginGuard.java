package dev.orrery.server.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes guessing passwords slow, and shows it in the log. The more logins as one user from one
 * address fail, the later each is answered; after a few, also one that succeeds, or a guesser could
 * hang up early. Nobody else waits: the answer is held back by a timer, not by a thread.
 */
final class LoginGuard {
  /** The first failure costs this; each further one twice as much. */
  static final long DELAY_MILLIS_MIN = 50;

  static final long DELAY_MILLIS_MAX = 1_000;

  /** A password that was mistyped so often does not slow the right one down. */
  static final int FREE_FAILURES = 5;

  /** So many users of one address are logged one by one, then fewer and fewer. */
  static final int LOGGED_FAILURES = 20;

  private static final int LOGGED_CHARACTERS = 300;

  private static final Logger LOG = LoggerFactory.getLogger(LoginGuard.class);
  private static final Duration MEMORY = Duration.ofMinutes(1);
  private static final int GUESSERS_MAX = 10_000;
  private static final int NAME_CHARACTERS_MAX = 100;

  private final Cache<Guesser, AtomicInteger> failures =
      Caffeine.newBuilder()
          .expireAfterAccess(MEMORY)
          .maximumSize(GUESSERS_MAX)
          .executor(Runnable::run)
          .build();
  private final ScheduledExecutorService timer;

  private record Guesser(String address, String user) {}

  LoginGuard(ScheduledExecutorService timer) {
    this.timer = timer;
  }

  /** Counts and logs a failure, and completes when it may be told. */
  CompletionStage<Void> failed(String address, String user, String reason) {
    var guesser = guesser(address, user);
    int count = failures.get(guesser, key -> new AtomicInteger()).incrementAndGet();
    int fromThere =
        failures.get(guesser(address, ""), key -> new AtomicInteger()).incrementAndGet();
    boolean isStorm = fromThere > LOGGED_FAILURES && Integer.bitCount(fromThere) > 1;
    if (Integer.bitCount(count) == 1 && !isStorm) { // neither guesses nor names flood the log
      LOG.warn(
          "login as {} from {} failed ({} in a row): {}",
          printable(guesser.user),
          address,
          count,
          printable(reason));
    }
    return after(delayMillis(count));
  }

  /** On one line and not too long, whatever a stranger sent. */
  private static String printable(String text) {
    String start = text.substring(0, Math.min(text.length(), LOGGED_CHARACTERS));
    return start.replaceAll("[\\p{Cntrl}\\x{80}-\\x{9f}\\x{2028}\\x{2029}]", "?");
  }

  /** Completes when a success may be told, at once unless somebody has been guessing. */
  CompletionStage<Void> succeeded(String address, String user) {
    var guesser = guesser(address, user);
    AtomicInteger count = failures.getIfPresent(guesser);
    if (count == null) {
      return CompletableFuture.completedFuture(null);
    }
    failures.invalidate(guesser);
    return count.get() <= FREE_FAILURES
        ? CompletableFuture.completedFuture(null)
        : after(delayMillis(count.get()));
  }

  static long delayMillis(int failures) {
    int doublings = Math.min(failures - 1, 10);
    return Math.min(DELAY_MILLIS_MAX, DELAY_MILLIS_MIN << doublings);
  }

  private static Guesser guesser(String address, String user) {
    return new Guesser(address, user.substring(0, Math.min(NAME_CHARACTERS_MAX, user.length())));
  }

  private CompletionStage<Void> after(long millis) {
    var due = new CompletableFuture<Void>();
    timer.schedule(() -> due.complete(null), millis, TimeUnit.MILLISECONDS);
    return due;
  }
}
