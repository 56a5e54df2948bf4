package dev.orrery.server.ledger;

import dev.orrery.server.throughput.RequestCharge;

/**
 * What requests of one shape cost.
 *
 * @param dearest the price of the dearest one
 * @param effort what that one did
 */
public record ShapeCost(Sum sum, RequestCharge dearest, Effort effort) {
  static ShapeCost first(Expense expense) {
    return new ShapeCost(
        Sum.NOTHING.plus(expense),
        new RequestCharge(expense.twentyFirsts()),
        Effort.of(expense.operation()));
  }

  ShapeCost plus(Expense expense) {
    Sum all = sum.plus(expense);
    return expense.twentyFirsts() <= dearest.twentyFirsts()
        ? new ShapeCost(all, dearest, effort)
        : new ShapeCost(
            all, new RequestCharge(expense.twentyFirsts()), Effort.of(expense.operation()));
  }
}
