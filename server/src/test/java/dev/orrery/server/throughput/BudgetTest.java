package dev.orrery.server.throughput;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.data.Offset;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

final class BudgetTest {
  private static final long SECOND = 1_000_000_000;
  private static final RequestCharge TEN = new RequestCharge(10L * RequestCharge.UNIT);

  @Test
  void aClientThatHammersSpendsTheRatePlusTheFirstBalance() {
    var budget = new Budget(400, () -> false, 0);
    long spent = 0;
    for (long now = 0; now < 10 * SECOND; now += SECOND / 10_000) {
      if (budget.millisToWait(now) == 0) {
        budget.charge(TEN, now);
        spent += 10;
      }
    }
    assertThat(spent).isCloseTo(400 + 4000, Percentage.withPercentage(1));
  }

  @Test
  void oneRequestMayCostMoreThanASecondAndLeavesADebt() {
    var budget = new Budget(400, () -> false, 0);
    budget.charge(new RequestCharge(704L * RequestCharge.UNIT), 0);

    assertThat(budget.balance(0)).isEqualTo(-304);
    long millis = budget.millisToWait(0);
    assertThat(millis).isBetween(760L, 762L);
    assertThat(budget.millisToWait(millis * 1_000_000)).isZero();
  }

  @Test
  void aRefusedRequestCostsNothingAndWaitingTheToldTimeIsEnough() {
    var budget = new Budget(1000, () -> false, 0);
    budget.charge(new RequestCharge(1234L * RequestCharge.UNIT + 7), 0);
    double before = budget.balance(0);

    long millis = budget.millisToWait(0);

    assertThat(budget.balance(0)).isEqualTo(before);
    assertThat(budget.millisToWait(millis * 1_000_000)).isZero();
  }

  @Test
  void idleTimeIsNotSavedWithoutBurstCapacity() {
    var budget = new Budget(100, () -> false, 0);
    assertThat(budget.balance(3600 * SECOND)).isEqualTo(100);
  }

  @Test
  void burstCapacitySavesFiveMinutesAndSpendsAtThreeThousand() {
    var budget = new Budget(100, () -> true, 0);
    long now = 600 * SECOND;
    budget.balance(now);
    long spent = 0;
    for (long end = now + 10 * SECOND; now < end; now += SECOND / 1000) {
      if (budget.millisToWait(now) == 0) {
        budget.charge(TEN, now);
        spent += 10;
      }
    }
    assertThat(spent).isCloseTo(30_000, Percentage.withPercentage(3));
  }

  @Test
  void aChangedRateCountsFromThenOn() {
    var budget = new Budget(400, () -> false, 0);
    budget.charge(new RequestCharge(400L * RequestCharge.UNIT), 0);
    budget.setRate(4000, 0);

    assertThat(budget.balance(SECOND / 2)).isCloseTo(2000, Offset.offset(1.0));
  }
}
