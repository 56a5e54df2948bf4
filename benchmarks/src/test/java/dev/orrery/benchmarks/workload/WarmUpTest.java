package dev.orrery.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.benchmarks.workload.WarmUp.Need;
import org.junit.jupiter.api.Test;

class WarmUpTest {
  private final WarmUp warmUp = new WarmUp(new Need(1000, 10, 20));

  @Test
  void endsAfterManyRequestsOnceTheLastSlicesCostTheSame() {
    warmUp.add(30, 600, 1);
    warmUp.add(20, 600, 1);
    warmUp.add(10, 600, 1);
    assertThat(warmUp.isOver()).as("still getting cheaper").isFalse();
    warmUp.add(10.5, 600, 1);
    assertThat(warmUp.isOver()).as("only two are alike").isFalse();
    warmUp.add(10.2, 600, 1);
    assertThat(warmUp.isOver()).isTrue();
  }

  @Test
  void goesOnWhileThereWereFewRequests() {
    for (int i = 0; i < 9; i++) {
      warmUp.add(10, 100, 1);
      assertThat(warmUp.isOver()).isFalse();
    }
    warmUp.add(10, 100, 0.5);
    assertThat(warmUp.isOver()).isTrue();
  }

  @Test
  void doesNotWaitForASlowServersRequests() {
    warmUp.add(10, 1, 4);
    warmUp.add(10, 1, 4);
    assertThat(warmUp.isOver()).isFalse();
    warmUp.add(10, 1, 4);
    assertThat(warmUp.isOver()).isTrue();
  }

  @Test
  void endsEvenIfTheCostNeverSettles() {
    for (int i = 0; i < 19; i++) {
      warmUp.add(i % 2 == 0 ? 10 : 20, 1000, 1);
      assertThat(warmUp.isOver()).isFalse();
    }
    warmUp.add(20, 1000, 1);
    assertThat(warmUp.isOver()).isTrue();
  }
}
