package dev.orrery.server.ledger;

import dev.orrery.server.throughput.RequestCharge;

/**
 * What requests of one kind cost together.
 *
 * @param refused how often one was refused for its rate
 */
public record Sum(long requests, RequestCharge charge, long refused) {
  static final Sum NOTHING = new Sum(0, RequestCharge.NOTHING, 0);

  Sum plus(Expense expense) {
    return new Sum(
        requests + 1,
        charge.plus(new RequestCharge(expense.twentyFirsts())),
        refused + expense.refusals());
  }
}
