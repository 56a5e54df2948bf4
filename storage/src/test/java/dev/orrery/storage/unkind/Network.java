package dev.orrery.storage.unkind;

import dev.orrery.lane.Lane;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Answers every question from another thread, mostly soon, now and then late. */
final class Network implements AutoCloseable {
  private static final int LATE_ONE_IN = 20;
  private static final int LATE_MICROS_MAX = 1_500;

  private final ScheduledExecutorService threads;
  private final Random random;

  Network(Random random) {
    this.random = random;
    this.threads =
        Executors.newScheduledThreadPool(
            2,
            task -> {
              // Who answers must not wait for another answer, nor do the work of a request.
              Thread thread = Lane.COMMITTER.thread("unkind-network", task);
              thread.setDaemon(true);
              return thread;
            });
  }

  <T> CompletionStage<T> ask(Supplier<T> question) {
    var answer = new CompletableFuture<T>();
    Runnable work =
        () -> {
          T found;
          try {
            found = question.get();
          } catch (RuntimeException | Error e) {
            answer.completeExceptionally(e);
            return;
          }
          answer.complete(found);
        };
    threads.schedule(work, delayMicros(), TimeUnit.MICROSECONDS);
    return answer;
  }

  /** Answers in this thread, and takes its time, as a change of the catalog does. */
  <T> T wait(Supplier<T> question) {
    try {
      TimeUnit.MICROSECONDS.sleep(delayMicros());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return question.get();
  }

  private int delayMicros() {
    synchronized (random) {
      return random.nextInt(LATE_ONE_IN) == 0 ? random.nextInt(LATE_MICROS_MAX) : 0;
    }
  }

  boolean isOneIn(int number) {
    synchronized (random) {
      return number > 0 && random.nextInt(number) == 0;
    }
  }

  int nextInt(int bound) {
    synchronized (random) {
      return random.nextInt(bound);
    }
  }

  long nextId() {
    synchronized (random) {
      return random.nextLong() >>> 2 | 1; // positive, in no order
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
