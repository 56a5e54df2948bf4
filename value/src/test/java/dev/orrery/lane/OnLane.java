package dev.orrery.lane;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Runs something on a thread of a lane, and gives what comes of it. */
public final class OnLane {
  private OnLane() {}

  public static <T> T call(Lane lane, Callable<T> work) throws Exception {
    var result = new CompletableFuture<T>();
    Thread thread =
        lane.thread(
            "test",
            () -> {
              try {
                result.complete(work.call());
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    try {
      return result.get(30, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    }
  }
}
