package dev.orrery.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

final class LaneTest {
  @Test
  void aThreadKnowsItsLane() throws Exception {
    for (Lane lane : Lane.values()) {
      assertThat(OnLane.call(lane, Lane::current)).isEqualTo(lane);
    }
    assertThat(Lane.current()).isEqualTo(Lane.FOREIGN);
  }

  @Test
  void onlyTheCommitterMayNotAppend() throws Exception {
    for (Lane lane : Lane.values()) {
      if (lane == Lane.COMMITTER) {
        assertThatThrownBy(() -> OnLane.call(lane, LaneTest::append))
            .isInstanceOf(IllegalStateException.class);
      } else {
        OnLane.call(lane, LaneTest::append);
      }
    }
  }

  private static boolean append() {
    Lane.requireMayAppend();
    return true;
  }

  private static boolean await() {
    Lane.requireMayWait();
    return true;
  }

  @Test
  void anEventLoopIsToldThatItWouldWaitAndTheCommitterIsRefused() throws Exception {
    assertThatThrownBy(() -> OnLane.call(Lane.EVENT_LOOP, LaneTest::await))
        .isInstanceOf(WouldWaitException.class);
    assertThatThrownBy(() -> OnLane.call(Lane.COMMITTER, LaneTest::await))
        .isInstanceOf(IllegalStateException.class);
    for (Lane lane : new Lane[] {Lane.WORKER, Lane.BACKGROUND, Lane.FOREIGN}) {
      assertThat(OnLane.call(lane, LaneTest::await)).isTrue();
    }
  }

  @Test
  void anEventLoopLeavesALockThatIsHeldForLong() throws Exception {
    var lock = new ReentrantLock();
    lock.lock();
    try {
      assertThatThrownBy(
              () ->
                  OnLane.call(
                      Lane.EVENT_LOOP,
                      () -> {
                        Lane.take(lock);
                        return true;
                      }))
          .isInstanceOf(WouldWaitException.class);
    } finally {
      lock.unlock();
    }
    boolean isTaken =
        OnLane.call(
            Lane.EVENT_LOOP,
            () -> {
              Lane.take(lock);
              try {
                return lock.isHeldByCurrentThread();
              } finally {
                lock.unlock();
              }
            });
    assertThat(isTaken).isTrue();
  }
}
