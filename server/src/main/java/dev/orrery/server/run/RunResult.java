package dev.orrery.server.run;

import dev.orrery.server.ledger.Costs;
import java.util.List;

/**
 * How a run ended.
 *
 * @param exitCode that of the command
 */
record RunResult(int exitCode, Costs costs, List<BudgetVerdict> verdicts) {
  /** The same without comparisons to what was recorded, as that is being recorded anew. */
  RunResult withoutRecorded() {
    return new RunResult(
        exitCode, costs, verdicts.stream().filter(verdict -> !verdict.isRecorded()).toList());
  }
}
