package dev.orrery.server.transfer;

import dev.orrery.server.transfer.source.TransferException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Waits as long as a server without request units asks for, and adds up how long that was. */
final class Throttle {
  private static final int TOO_MANY_REQUESTS = 16500;
  private static final long DEFAULT_MILLIS = 100;
  private static final long MAX_MILLIS = 60_000;
  private static final Pattern RETRY_AFTER = Pattern.compile("RetryAfterMs=(\\d{1,9})");

  /** How a thread waits. */
  interface Sleep {
    void sleep(long millis) throws InterruptedException;
  }

  private final Sleep sleep;
  private final AtomicLong waitedMillis = new AtomicLong();

  Throttle(Sleep sleep) {
    this.sleep = sleep;
  }

  boolean isMeantFor(int errorCode) {
    return errorCode == TOO_MANY_REQUESTS;
  }

  void await(String message) throws TransferException {
    Matcher asked = RETRY_AFTER.matcher(message);
    long millis = asked.find() ? Long.parseLong(asked.group(1)) : DEFAULT_MILLIS;
    millis = Math.max(1, Math.min(millis, MAX_MILLIS));
    try {
      sleep.sleep(millis);
      waitedMillis.addAndGet(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TransferException("interrupted", e);
    }
  }

  double waitedSeconds() {
    return waitedMillis.get() / (double) TimeUnit.SECONDS.toMillis(1);
  }
}
