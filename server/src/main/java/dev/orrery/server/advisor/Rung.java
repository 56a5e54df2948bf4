package dev.orrery.server.advisor;

import dev.orrery.server.throughput.Budget;
import dev.orrery.server.throughput.RequestCharge;

/**
 * The workload at one throughput: every statement asks the budgets that a server would have, at the
 * time at which it came, and is refused where they are spent. Who is refused does not come again.
 */
final class Rung {
  private final long unitsPerSecond;
  private final Budget[] budgets;
  private long statements;
  private long refused;

  Rung(long unitsPerSecond, int partitions) {
    this.unitsPerSecond = unitsPerSecond;
    this.budgets = new Budget[partitions];
    for (int i = 0; i < partitions; i++) {
      budgets[i] = new Budget(Math.max(1, unitsPerSecond / partitions), () -> false, 0);
    }
  }

  long unitsPerSecond() {
    return unitsPerSecond;
  }

  int partitions() {
    return budgets.length;
  }

  void add(Pricing.Cost cost, long nanos) {
    statements++;
    for (int partition : cost.asked()) {
      if (budgets[partition].millisToWait(nanos) > 0) {
        refused++;
        return;
      }
    }
    for (int i = 0; i < cost.asked().length; i++) {
      budgets[cost.asked()[i]].charge(new RequestCharge(Math.round(cost.in(i))), nanos);
    }
  }

  /** The share of statements that were refused. */
  double refusedShare() {
    return statements == 0 ? 0 : refused / (double) statements;
  }
}
