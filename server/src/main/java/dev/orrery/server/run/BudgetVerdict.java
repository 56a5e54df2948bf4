package dev.orrery.server.run;

import dev.orrery.server.throughput.RequestCharge;
import java.util.Locale;

/**
 * What became of one budget.
 *
 * @param kind run, collection, shape, application, comment, or recorded
 * @param limit request units
 * @param spent request units; of a shape, those of its dearest request
 * @param reason why it is exceeded; empty when nobody can tell
 * @param hasLostIndex whether it counts as exceeded whatever was spent: with the few documents of a
 *     test a scan costs little more than an index
 */
record BudgetVerdict(
    String kind,
    String name,
    double limit,
    RequestCharge spent,
    String reason,
    boolean hasLostIndex) {
  static final String RECORDED = "recorded";

  BudgetVerdict(String kind, String name, double limit, RequestCharge spent, String reason) {
    this(kind, name, limit, spent, reason, false);
  }

  /** Prices are multiples of a twenty-first, and a limit may be one of them with few digits. */
  private static final double ROUNDING = 0.005;

  boolean isExceeded() {
    return hasLostIndex || isOver();
  }

  private boolean isOver() {
    return spent.toDouble() > limit + ROUNDING;
  }

  boolean isRecorded() {
    return kind.equals(RECORDED);
  }

  /** One line. */
  String words() {
    String because = isExceeded() && !reason.isEmpty() ? ": " + reason : "";
    return String.format(
        Locale.ROOT,
        "%s %s costs %.2f RU, %s %.2f%s",
        isRecorded() ? "shape" : kind,
        name,
        spent.toDouble(),
        isOver() ? "more than" : "of",
        limit,
        because);
  }
}
