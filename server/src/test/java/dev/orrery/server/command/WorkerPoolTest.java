package dev.orrery.server.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkerPoolTest {
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final CountDownLatch end = new CountDownLatch(1);
  private WorkerPool pool = pool(new WorkerPool.Limits(2, 4, 8, 10, 20));

  private WorkerPool pool(WorkerPool.Limits limits) {
    return new WorkerPool(limits, task -> new Thread(task, "pooled"), timer);
  }

  @AfterEach
  void stop() throws InterruptedException {
    end.countDown();
    assertThat(pool.stop(20)).isTrue();
    timer.shutdownNow();
  }

  /** Somebody whose work ends when the flag says so. */
  private record Somebody(String owner, AtomicBoolean isOver) implements Allowance.Interruption {
    @Override
    public void check() {
      if (isOver.get()) {
        throw new CommandException(ErrorCode.INTERRUPTED, "over");
      }
    }
  }

  private void execute(String owner, Runnable work) {
    var somebody = new Somebody(owner, new AtomicBoolean());
    Allowance.of(somebody).run(() -> pool.execute(work));
  }

  private void block() {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void requireDone(String owner) throws InterruptedException {
    var done = new CountDownLatch(1);
    execute(owner, done::countDown);
    assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void whatTakesLongGivesItsPlaceToTheNext() throws InterruptedException {
    execute("a", this::block);
    execute("a", this::block);
    requireDone("a");
    for (int i = 0; i < 1000 && pool.atWork() > 2; i++) {
      Thread.sleep(5);
    }
    assertThat(pool.atWork()).isEqualTo(2);
  }

  @Test
  void anOwnerHasNoMoreThreadsThanItsShare() throws InterruptedException {
    for (int i = 0; i < 7; i++) {
      execute("a", this::block);
    }
    Thread.sleep(5 * WorkerPool.YOUNG_MILLIS);
    assertThat(pool.atWork()).isEqualTo(4);
    assertThat(pool.waiting()).isEqualTo(3);
    requireDone("b");
    end.countDown();
    requireDone("a");
  }

  @Test
  void whoHasNothingAtWorkIsLetInWhenOthersHaveAllThreads() throws InterruptedException {
    for (String owner : List.of("a", "b", "c")) {
      for (int i = 0; i < 5; i++) {
        execute(owner, this::block);
      }
    }
    Thread.sleep(6 * WorkerPool.YOUNG_MILLIS);
    assertThat(pool.atWork()).isEqualTo(8);
    requireDone("d");
    requireDone("e");
  }

  @Test
  void ownersTakeTurns() throws InterruptedException {
    pool = pool(new WorkerPool.Limits(1, 1, 8, 10, 100));
    var order = new ArrayList<String>();
    var all = new CountDownLatch(41);
    for (int i = 0; i < 40; i++) {
      execute(
          "many",
          () -> {
            pause();
            note(order, "many", all);
          });
    }
    execute("few", () -> note(order, "few", all));
    assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(order.indexOf("few")).isLessThan(10);
  }

  private static void pause() {
    try {
      Thread.sleep(10);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void note(List<String> order, String name, CountDownLatch all) {
    synchronized (order) {
      order.add(name);
    }
    all.countDown();
  }

  @Test
  void whatIsOverBeforeItHasAThreadIsTakenAway() throws InterruptedException {
    for (int i = 0; i < 4; i++) {
      execute("a", this::block);
    }
    var isOver = new AtomicBoolean();
    var told = new CountDownLatch(1);
    Allowance.of(new Somebody("a", isOver)).run(() -> pool.execute(told::countDown));
    Thread.sleep(5 * WorkerPool.YOUNG_MILLIS);
    assertThat(pool.waiting()).isEqualTo(1);
    isOver.set(true);
    assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(pool.waiting()).isZero();
    assertThat(pool.atWork()).isEqualTo(4);
  }

  @Test
  void whatCannotWaitIsRefused() {
    for (int i = 0; i < 22; i++) {
      execute("a", this::block); // two are at work, or four by now
    }
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 3; i++) {
                execute("a", this::block);
              }
            })
        .isInstanceOf(RejectedExecutionException.class);
  }

  @Test
  void everythingIsDoneOnceAndNothingIsLeft() throws InterruptedException {
    pool = pool(new WorkerPool.Limits(3, 4, 8, 10, 1_000_000));
    var done = new AtomicInteger();
    var random = new Random(7);
    var mostAtWork = new AtomicInteger();
    var atWork = new AtomicInteger();
    for (int i = 0; i < 20_000; i++) {
      boolean isLong = random.nextInt(2000) == 0;
      execute(
          "owner" + random.nextInt(5),
          () -> {
            mostAtWork.accumulateAndGet(atWork.incrementAndGet(), Math::max);
            if (isLong) {
              sleepLong();
            }
            atWork.decrementAndGet();
            done.incrementAndGet();
          });
    }
    assertThat(pool.stop(30)).isTrue();
    assertThat(done).hasValue(20_000);
    assertThat(mostAtWork.get()).isLessThanOrEqualTo(10);
    assertThat(pool.atWork()).isZero();
    assertThat(pool.waiting()).isZero();
    pool = pool(new WorkerPool.Limits(2, 4, 8, 10, 20));
  }

  private static void sleepLong() {
    try {
      Thread.sleep(2 * WorkerPool.YOUNG_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
