package dev.orrery.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.benchmarks.workload.WarmUp.Need;
import dev.orrery.benchmarks.workload.WarmUp.Slice;
import org.junit.jupiter.api.Test;

class WarmUpTest {
  private final WarmUp warmUp = new WarmUp(new Need(1000, 10, 20));

  private void add(double cost, double requests, double duration) {
    warmUp.add(new Slice(cost, requests, duration, 0));
  }

  @Test
  void endsAfterManyRequestsOnceTheLastSlicesCostTheSame() {
    add(30, 600, 1);
    add(20, 600, 1);
    add(10, 600, 1);
    assertThat(warmUp.isOver()).as("still getting cheaper").isFalse();
    add(10.5, 600, 1);
    assertThat(warmUp.isOver()).as("only two are alike").isFalse();
    add(10.2, 600, 1);
    assertThat(warmUp.isOver()).isTrue();
  }

  @Test
  void goesOnWhileThereWereFewRequests() {
    for (int i = 0; i < 9; i++) {
      add(10, 100, 1);
      assertThat(warmUp.isOver()).isFalse();
    }
    add(10, 100, 0.5);
    assertThat(warmUp.isOver()).isTrue();
  }

  @Test
  void doesNotWaitForASlowServersRequests() {
    add(10, 1, 4);
    add(10, 1, 4);
    assertThat(warmUp.isOver()).isFalse();
    add(10, 1, 4);
    assertThat(warmUp.isOver()).isTrue();
  }

  @Test
  void goesOnWhileCompilersAreBusy() {
    for (int i = 0; i < 5; i++) {
      warmUp.add(new Slice(10, 1000, 1, 0.1));
      assertThat(warmUp.isOver()).isFalse();
    }
    warmUp.add(new Slice(10, 1000, 1, 0.01));
    assertThat(warmUp.isOver()).as("a tenth in two of three slices").isFalse();
    warmUp.add(new Slice(10, 1000, 1, 0.01));
    assertThat(warmUp.isOver()).isTrue();
  }

  @Test
  void endsEvenIfTheCostNeverSettles() {
    for (int i = 0; i < 19; i++) {
      add(i % 2 == 0 ? 10 : 20, 1000, 1);
      assertThat(warmUp.isOver()).isFalse();
    }
    add(20, 1000, 1);
    assertThat(warmUp.isOver()).isTrue();
  }
}
