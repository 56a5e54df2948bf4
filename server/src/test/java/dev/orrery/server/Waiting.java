package dev.orrery.server;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Predicate;

/** Asks again and again until the answer is as hoped for. */
final class Waiting {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private Waiting() {}

  static <T> T until(Callable<T> question, Predicate<T> isEnough) throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    T answer = question.call();
    while (!isEnough.test(answer)) {
      if (System.nanoTime() > end) {
        throw new AssertionError("still " + answer);
      }
      Thread.sleep(100);
      answer = question.call();
    }
    return answer;
  }
}
