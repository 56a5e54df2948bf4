package dev.orrery.storage.log;

import static dev.orrery.storage.log.Groups.group;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.lane.Lane;
import dev.orrery.lane.OnLane;
import dev.orrery.lane.WouldWaitException;
import dev.orrery.storage.StorageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the threads around the log may do, and what becomes of them all when one ends. */
@Timeout(60)
final class LogLanesTest {
  private static final LogOptions OPTIONS =
      LogOptions.defaults().withSegmentBytes(64 << 10).withFlushMillis(1_000_000);

  @TempDir Path root;

  private final FaultyFiles files = new FaultyFiles();

  private Log open() {
    return Log.open(root.resolve("log"), OPTIONS, files);
  }

  private static RecordGroup large() {
    return group("x".repeat(40_000));
  }

  @Test
  void whatWaitsForTheDiskCannotAppendOnTheThreadThatServesIt() {
    try (Log log = open()) {
      long lsn = log.append(group("a")).lsn();
      CompletableFuture<Appended> chained =
          log.whenDurable(lsn).thenApply(done -> log.append(group("b")));
      // It may have been durable before we asked; then it is this thread that appends.
      chained.handle((done, failure) -> true).join();
      boolean isRefused = chained.isCompletedExceptionally();
      assertThat(log.lastLsn()).isEqualTo(isRefused ? lsn : lsn + 1);
      files.slowForceMillis = 200;
      long second = log.append(group("c")).lsn();
      CompletableFuture<Appended> later =
          log.whenDurable(second).thenApply(done -> log.append(large()));
      assertThatThrownBy(() -> later.get(10, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(IllegalStateException.class);
      assertThat(log.lastLsn()).isEqualTo(second);
    }
  }

  @Test
  void anEventLoopLeavesTheBeginOfASegmentToOthers() throws Exception {
    try (Log log = open()) {
      log.append(large());
      long before = log.lastLsn();
      assertThatThrownBy(() -> OnLane.call(Lane.EVENT_LOOP, () -> log.append(large())))
          .isInstanceOf(WouldWaitException.class);
      assertThat(log.lastLsn()).isEqualTo(before);
      assertThat(log.segments()).hasSize(1);
      assertThat(OnLane.call(Lane.EVENT_LOOP, () -> log.append(group("small"))).lsn())
          .isEqualTo(before + 1);
      OnLane.call(Lane.WORKER, () -> log.append(large()));
      assertThat(log.segments()).hasSize(2);
    }
  }

  @Test
  void anEventLoopDoesNotWaitForTheDisk() throws Exception {
    try (Log log = open()) {
      files.slowForceMillis = 300;
      long lsn = log.append(group("a")).lsn();
      assertThatThrownBy(
              () ->
                  OnLane.call(
                      Lane.EVENT_LOOP,
                      () -> {
                        log.awaitDurable(lsn);
                        return true;
                      }))
          .isInstanceOf(WouldWaitException.class);
      log.awaitDurable(lsn);
    }
  }

  @Test
  void whateverEndsTheCommitterAllWhoWaitAreToldAndAppendsAreRefused() {
    for (Error error : List.of(new OutOfMemoryError("a test"), new InternalError("a test"))) {
      var told = new CopyOnWriteArrayList<Throwable>();
      files.forceError = null;
      Log log = Log.open(root.resolve(error.getClass().getSimpleName()), OPTIONS, files);
      log.onFailure(told::add);
      files.slowForceMillis = 50;
      files.forceError = error;
      var waiting = new ArrayList<CompletableFuture<Void>>();
      for (int i = 0; i < 5; i++) {
        waiting.add(log.whenDurable(log.append(group("a" + i)).lsn()));
      }
      for (CompletableFuture<Void> each : waiting) {
        assertThatThrownBy(() -> each.get(10, TimeUnit.SECONDS))
            .hasCauseInstanceOf(StorageException.class);
      }
      assertThatThrownBy(() -> log.append(group("later"))).isInstanceOf(StorageException.class);
      assertThatThrownBy(() -> log.awaitDurable(log.lastLsn()))
          .isInstanceOf(StorageException.class);
      log.close(); // waits for the committer's thread, which has ended
      assertThat(told).containsExactly(error);
    }
  }
}
