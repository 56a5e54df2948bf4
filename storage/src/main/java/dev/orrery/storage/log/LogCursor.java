package dev.orrery.storage.log;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Reads durable groups in LSN order and, at the end, waits for more. It holds no resources and no
 * segment: groups that were deleted before it came to them are passed over, which a caller who
 * minds sees as a gap between LSNs. Not thread-safe.
 */
public final class LogCursor {

  private final Log log;
  private long nextLsn;
  private Segment segment;
  private int offset;

  LogCursor(Log log, long nextLsn) {
    this.log = log;
    this.nextLsn = nextLsn;
  }

  /** The LSN that the cursor looks for next. */
  public long nextLsn() {
    return nextLsn;
  }

  /** The next group, or {@code null} when there is none yet. */
  public LogGroup next() {
    log.requireOpen();
    long durableLsn = log.durableLsn();
    while (nextLsn <= durableLsn && findGroup()) {
      LogGroup group = segment.readGroup(offset);
      if (group == null) {
        segment = null; // Deleted under us: look for the next one.
      } else if (group.lsn() > durableLsn) {
        return null;
      } else {
        offset += Format.GROUP_HEADER_BYTES + group.source().length;
        nextLsn = group.lsn() + 1;
        return group;
      }
    }
    return null;
  }

  private boolean findGroup() {
    if (segment == null || offset >= segment.end()) {
      segment = log.reaching(nextLsn);
      if (segment == null) {
        return false;
      }
      offset = segment.find(nextLsn);
    }
    return offset < segment.end();
  }

  /** Like {@link #next()}, but waits for a group up to {@code timeout}. */
  public LogGroup next(Duration timeout) throws InterruptedException {
    LogGroup group = next();
    if (group != null || timeout.isZero()) {
      return group;
    }
    var arrived = new CountDownLatch(1);
    LongConsumer listener =
        durableLsn -> {
          if (durableLsn >= nextLsn) {
            arrived.countDown();
          }
        };
    log.addListener(listener);
    try {
      group = next(); // It may have come before we listened.
      if (group == null && arrived.await(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
        group = next();
      }
      return group;
    } finally {
      log.removeListener(listener);
    }
  }
}
