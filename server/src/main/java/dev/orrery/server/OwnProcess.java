package dev.orrery.server;

import dev.orrery.lane.Lane;
import dev.orrery.server.command.diagnostic.RecentLog;
import java.io.PrintStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process that exists for one server. When the server is only half alive it ends, with a message
 * and an exit code, so that whoever supervises it starts another.
 */
final class OwnProcess implements Host {
  /** What a supervisor sees: an internal error, as sysexits.h has it. */
  static final int HALF_ALIVE = 70;

  private static final Logger LOG = LoggerFactory.getLogger(OwnProcess.class);

  /** For the errors that clients are being told. */
  private static final long GRACE_MILLIS = 1_000;

  /** Everything is made before it is needed: there may be no memory left then. */
  private final CountDownLatch failed = new CountDownLatch(1);

  private final PrintStream err;
  private volatile String part;
  private volatile Throwable cause;

  OwnProcess(PrintStream err) {
    this.err = err;
    Thread end = Lane.BACKGROUND.thread("end", this::endWhenFailed);
    end.setDaemon(true);
    end.start();
    Thread.setDefaultUncaughtExceptionHandler(this::died);
  }

  /**
   * A thread has ended in the midst of its work. After an error nobody can say what it was for: an
   * event loop with all its connections, or a request that would never be answered.
   */
  private void died(Thread thread, Throwable cause) {
    if (cause instanceof Error) {
      failed(thread.getName(), cause);
    } else {
      LOG.error("the thread {} ended", thread.getName(), cause);
    }
  }

  @Override
  public void stop() {
    Lane.BACKGROUND.thread("shutdown", () -> System.exit(0)).start();
  }

  @Override
  public Runnable followLog(RecentLog log) {
    return RecentLogAppender.attach(log)::detach;
  }

  @Override
  public void failed(String what, Throwable why) {
    if (part == null) {
      cause = why;
      part = what;
    }
    failed.countDown();
  }

  /** Not by an orderly stop: that would wait for the part that is gone. */
  private void endWhenFailed() {
    try {
      failed.await();
      err.println("orrery: " + part + " ended, so the server does: " + cause);
      err.flush();
      LOG.error("{} ended, so the server does", part, cause);
      TimeUnit.MILLISECONDS.sleep(GRACE_MILLIS);
    } catch (InterruptedException | RuntimeException | Error e) {
      err.println("orrery: the server ends");
    } finally {
      Runtime.getRuntime().halt(HALF_ALIVE);
    }
  }
}
