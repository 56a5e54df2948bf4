package dev.orrery.server.run;

import dev.orrery.lane.Lane;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The command of a run: it has our input and output. When we are told to end, it is told so too,
 * and we end after it, with its exit code.
 */
final class ChildProcess {
  /** We cannot say how the command ended. */
  static final int FAILED = 1;

  private static final int NOT_FOUND = 127;

  /** A terminal tells the command of an interruption by itself. */
  private static final long GRACE_MILLIS = 300;

  private static final long REPORT_SECONDS = 30;

  private final PrintStream err;
  private final CountDownLatch isReported = new CountDownLatch(1);
  private final Thread onEnd = Lane.BACKGROUND.thread("end of run", this::endInOrder);
  private volatile @Nullable Process process;
  private volatile int exitCode = FAILED;

  ChildProcess(PrintStream err) {
    this.err = err;
    Runtime.getRuntime().addShutdownHook(onEnd);
  }

  /** Runs the command to its end; returns its exit code, or 127 when it cannot be started. */
  int run(List<String> command, Map<String, String> environment) {
    var builder = new ProcessBuilder(command).inheritIO();
    builder.environment().putAll(environment);
    try {
      process = builder.start();
    } catch (IOException e) {
      err.println("orrery run: " + command.get(0) + " cannot be started: " + e.getMessage());
      return NOT_FOUND;
    }
    while (true) {
      try {
        return process.waitFor();
      } catch (InterruptedException e) {
        process.destroy();
      }
    }
  }

  /** Says that everything is told; only the first exit code counts. */
  int ended(int code) {
    if (isReported.getCount() > 0) {
      exitCode = code;
      isReported.countDown();
      try {
        Runtime.getRuntime().removeShutdownHook(onEnd);
      } catch (IllegalStateException e) {
        awaitEnd(); // the hook ends the process, with the right code
      }
    }
    return exitCode;
  }

  private static void awaitEnd() {
    try {
      TimeUnit.SECONDS.sleep(REPORT_SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Somebody ends us: by a signal, or by an interruption at the terminal. */
  private void endInOrder() {
    try {
      Process running = process;
      if (running != null) {
        if (!running.waitFor(GRACE_MILLIS, TimeUnit.MILLISECONDS)) {
          running.destroy();
        }
        running.waitFor();
        isReported.await(REPORT_SECONDS, TimeUnit.SECONDS);
        Runtime.getRuntime().halt(exitCode);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
