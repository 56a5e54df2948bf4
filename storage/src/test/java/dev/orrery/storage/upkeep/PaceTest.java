package dev.orrery.storage.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A worker and a server on clocks that only move when they are told to. */
final class PaceTest {
  private static final long MILLISECOND = 1_000_000;
  private static final double SHARE = 0.03;
  private static final long SECOND = 1_000 * MILLISECOND;

  private final Clocks clocks = new Clocks();

  /** Other threads take a share of a processor as time goes by, work and sleep alike. */
  private static final class Clocks implements Pace.Surroundings {
    private final List<Long> sleeps = new ArrayList<>();
    private double othersShare;
    private long sleepCost;
    private long nanos = 5 * SECOND;
    private long own = 3 * SECOND;
    private double others = 7 * SECOND;

    void work(long duration) {
      pass(duration);
      own += duration;
    }

    private void pass(long duration) {
      nanos += duration;
      others += othersShare * duration;
    }

    @Override
    public long nanos() {
      return nanos;
    }

    @Override
    public long ownNanos() {
      return own;
    }

    @Override
    public long processNanos() {
      return own + (long) others;
    }

    @Override
    public void sleep(long duration) {
      sleeps.add(duration);
      pass(duration);
      work(sleepCost);
    }
  }

  /** The share of a processor that a worker got, after what is free at the beginning. */
  private double shareOfAWorker(Pace pace, long slice) {
    work(pace, slice, 200 * MILLISECOND);
    long start = clocks.nanos;
    long worked = clocks.own;
    work(pace, slice, 10 * SECOND);
    return (double) (clocks.own - worked) / (clocks.nanos - start);
  }

  private void work(Pace pace, long slice, long duration) {
    long end = clocks.nanos + duration;
    while (clocks.nanos < end) {
      clocks.work(slice);
      pace.pause(() -> false);
    }
  }

  @Test
  void aWorkerGetsItsShareAndNoMoreWhileTheServerIsBusy() {
    clocks.othersShare = 1.5;
    assertThat(shareOfAWorker(new Pace(clocks, SHARE), MILLISECOND)).isBetween(0.9 * SHARE, SHARE);
  }

  @Test
  void longSlicesAreFollowedByLongPausesInStepsThatAreShort() {
    clocks.othersShare = 1.5;
    assertThat(shareOfAWorker(new Pace(clocks, SHARE), 30 * MILLISECOND))
        .isBetween(0.8 * SHARE, 1.05 * SHARE);
    assertThat(clocks.sleeps).allMatch(sleep -> sleep <= Pace.SLEEP_NANOS_MAX);
  }

  @Test
  void theShareGoesIntoWorkAndNotIntoSleeping() {
    clocks.othersShare = 1.5;
    clocks.sleepCost = 20_000;
    assertThat(shareOfAWorker(new Pace(clocks, SHARE), MILLISECOND / 20))
        .isBetween(0.9 * SHARE, SHARE);
    assertThat(clocks.sleeps.size() * clocks.sleepCost).isLessThan((long) (0.02 * SECOND));
  }

  @Test
  void itGoesOnAtFullSpeedWhileTheServerIsIdle() {
    clocks.othersShare = Pace.BUSY / 2;
    assertThat(shareOfAWorker(new Pace(clocks, SHARE), MILLISECOND)).isGreaterThan(0.95);
  }

  @Test
  void itNoticesClientsThatComeAndGo() {
    var pace = new Pace(clocks, SHARE);
    work(pace, MILLISECOND, 2 * SECOND);
    clocks.sleeps.clear();
    clocks.othersShare = 0.8;
    work(pace, MILLISECOND, Pace.LOOK_NANOS);
    long worked = clocks.own;
    work(pace, MILLISECOND, SECOND);
    assertThat(clocks.own - worked).isLessThan((long) (0.05 * SECOND));

    clocks.othersShare = 0;
    work(pace, MILLISECOND, 2 * Pace.LOOK_NANOS);
    clocks.sleeps.clear();
    work(pace, MILLISECOND, SECOND);
    assertThat(clocks.sleeps).isEmpty();
  }

  @Test
  void whatIsShortIsDoneAtOnceAlsoOnABusyServer() {
    clocks.othersShare = 2;
    var pace = new Pace(clocks, SHARE);
    for (int i = 0; i < Pace.BURST_NANOS / MILLISECOND; i++) {
      clocks.work(MILLISECOND);
      pace.pause(() -> false);
    }
    assertThat(clocks.sleeps).isEmpty();
  }

  @Test
  void whatIsUrgentNeverWaits() {
    clocks.othersShare = 2;
    var pace = new Pace(clocks, SHARE);
    for (int i = 0; i < 1_000; i++) {
      clocks.work(MILLISECOND);
      pace.pause(() -> true);
    }
    assertThat(clocks.sleeps).isEmpty();
  }

  @Test
  void whatBecomesUrgentWhileItWaitsGoesOnAtOnce() {
    clocks.othersShare = 2;
    var pace = new Pace(clocks, SHARE);
    clocks.work(10 * SECOND);
    pace.pause(() -> clocks.sleeps.size() == 3);
    assertThat(clocks.sleeps).hasSize(3);
  }

  @Test
  void workDoneAtFullSpeedIsNotPaidForLater() {
    clocks.othersShare = 2;
    var pace = new Pace(clocks, SHARE);
    clocks.work(10 * SECOND);
    pace.pause(() -> true);
    clocks.sleeps.clear();
    clocks.work(MILLISECOND);
    pace.pause(() -> false);
    assertThat(clocks.sleeps.stream().mapToLong(Long::longValue).sum())
        .isBetween(
            (long) (MILLISECOND / SHARE), (long) ((MILLISECOND + Pace.STRETCH_NANOS) / SHARE));
  }
}
