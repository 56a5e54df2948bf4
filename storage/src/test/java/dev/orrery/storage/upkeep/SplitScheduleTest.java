package dev.orrery.storage.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class SplitScheduleTest {
  private static final long LIMIT = 1_000;

  @Test
  void aPartitionThatDoesNotGrowIsNeverBehind() {
    for (long bytes : new long[] {1_001, 1_900, 50_000}) {
      assertThat(new SplitSchedule(LIMIT, bytes).isBehind(0, bytes)).isFalse();
      assertThat(new SplitSchedule(LIMIT, bytes).isBehind(0, bytes - 500)).isFalse();
    }
  }

  @Test
  void allIsCopiedWhenHalfOfTheRoomIsUsed() {
    var schedule = new SplitSchedule(LIMIT, LIMIT);
    assertThat(schedule.isBehind(0.5, 1_249)).isFalse();
    assertThat(schedule.isBehind(0.5, 1_251)).isTrue();
    assertThat(schedule.isBehind(0.99, 1_499)).isTrue();
    assertThat(schedule.isBehind(1, 1_500)).isFalse();
  }

  /** However fast it grows, as long as copying can be faster at all. */
  @Test
  void aPartitionThatGrowsIsCopiedBeforeItIsTwiceItsLimit() {
    var schedule = new SplitSchedule(LIMIT, LIMIT + 10);
    double bytes = LIMIT + 10;
    double done = 0;
    while (done < 1) {
      boolean isBehind = schedule.isBehind(done, (long) bytes);
      done += isBehind ? 0.01 : 0.0001;
      bytes += 1;
    }
    assertThat(bytes).isLessThan(2 * LIMIT);
  }

  @Test
  void oneThatBeganTooLargeHurriesAsSoonAsItGrows() {
    var schedule = new SplitSchedule(LIMIT, 5_000);
    assertThat(schedule.isBehind(0, 5_001)).isTrue();
    assertThat(schedule.isBehind(0.5, 5_031)).isFalse();
    assertThat(schedule.isBehind(0.5, 5_032)).isTrue();
  }
}
