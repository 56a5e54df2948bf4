package dev.orrery.server.advisor;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One candidate, judged.
 *
 * @param problems why it cannot be the key, in sentences; empty when it can
 * @param reasons what else is to be said, in sentences
 */
public record Verdict(
    Candidate candidate,
    Values values,
    Load load,
    Future future,
    List<String> problems,
    List<String> reasons) {
  public Verdict {
    problems = List.copyOf(problems);
    reasons = List.copyOf(reasons);
  }

  public boolean isPossible() {
    return problems.isEmpty();
  }

  /**
   * What the documents say.
   *
   * @param largest the value with the most bytes, and how many that are
   */
  public record Values(
      long distinct,
      boolean isExact,
      String largest,
      double largestBytes,
      long missing,
      long impossible,
      double[] bytesByPartition) {}

  /**
   * What the workload says.
   *
   * @param units request units in all
   * @param unitsPerSecond how many are needed so that less than 1 % is refused; negative if more
   *     than were tried
   * @param refusedAt the share that is refused at each throughput that was tried
   * @param p99 what the busiest partition spends in a second, in all but 1 % of them
   * @param shareOfBusiest the share of the work that the busiest partition of each second does
   * @param shareOfFullest the same of the busiest over all the time
   */
  public record Load(
      double units,
      long unitsPerSecond,
      List<Rate> refusedAt,
      double p99,
      double shareOfBusiest,
      double shareOfFullest,
      double readShare,
      double writeShare,
      @Nullable String hottest,
      double hottestShare,
      Refusals refusals,
      double[] unitsByPartition,
      double[][] picture,
      long columnSeconds) {}

  /** A throughput that was tried, and the share of statements that were refused. */
  public record Rate(long unitsPerSecond, int partitions, double refused) {}

  /** What Cosmos DB would not do with that key. */
  public record Refusals(long withoutKey, long changedInPlace, long transactions, long spanning) {}

  /**
   * What is to come.
   *
   * @param partitions physical partitions now, in 6 and in 12 months
   * @param wallDays in how many days a value has 20 GB; infinite for never
   * @param wallValue which one
   * @param monthly money a month
   */
  public record Future(int[] partitions, double wallDays, String wallValue, double monthly) {}
}
