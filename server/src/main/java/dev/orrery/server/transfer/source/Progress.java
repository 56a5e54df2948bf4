package dev.orrery.server.transfer.source;

import java.io.PrintStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Shows how far a transfer is: a bar that is drawn anew on a terminal, a line now and then
 * elsewhere, with the rate and the time that is left.
 */
public final class Progress implements AutoCloseable {
  private static final int BAR_CHARACTERS = 24;
  private static final long TERMINAL_MILLIS = 200;
  private static final long PLAIN_MILLIS = 3_000;

  /** What is shown; read by another thread while the transfer runs. */
  public interface Meter {
    String what();

    long documents();

    long bytes();

    /** -1 if it is not known. */
    long bytesTotal();
  }

  private final PrintStream err;
  private final boolean isTerminal;
  private final LongSupplier nanoTime;
  private final Meter meter;
  private final long startNanos;
  private final Thread thread;
  private final CountDownLatch closed = new CountDownLatch(1);

  public Progress(PrintStream err, boolean isTerminal, LongSupplier nanoTime, Meter meter) {
    this.err = err;
    this.isTerminal = isTerminal;
    this.nanoTime = nanoTime;
    this.meter = meter;
    this.startNanos = nanoTime.getAsLong();
    this.thread = new Thread(this::show, "progress");
    thread.setDaemon(true);
  }

  public void start() {
    thread.start();
  }

  private void show() {
    try {
      long millis = isTerminal ? TERMINAL_MILLIS : PLAIN_MILLIS;
      while (!closed.await(millis, TimeUnit.MILLISECONDS)) {
        err.print(isTerminal ? "\r" + line() + "\u001b[K" : line() + System.lineSeparator());
        err.flush();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public String line() {
    double seconds = Math.max(1e-3, (nanoTime.getAsLong() - startNanos) / 1e9);
    long bytes = meter.bytes();
    long total = meter.bytesTotal();
    String rate =
        "%,d documents, %s, %s/s"
            .formatted(
                meter.documents(), ByteSize.text(bytes), ByteSize.text((long) (bytes / seconds)));
    if (total <= 0) {
      return meter.what() + "  " + rate;
    }
    double part = Math.min(1, bytes / (double) total);
    int filled = (int) (part * BAR_CHARACTERS);
    String bar = "#".repeat(filled) + ".".repeat(BAR_CHARACTERS - filled);
    String left = part > 0 ? duration((long) (seconds * (1 - part) / part)) : "?";
    return "[%s] %5.1f%%  %s  %s, %s left".formatted(bar, part * 100, meter.what(), rate, left);
  }

  public static String duration(long seconds) {
    long hours = TimeUnit.SECONDS.toHours(seconds);
    long minutes = TimeUnit.SECONDS.toMinutes(seconds) % 60;
    return hours > 0
        ? "%d:%02d:%02d".formatted(hours, minutes, seconds % 60)
        : "%d:%02d".formatted(minutes, seconds % 60);
  }

  @Override
  public void close() {
    closed.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (isTerminal) {
      err.print("\r\u001b[K");
      err.flush();
    }
  }
}
