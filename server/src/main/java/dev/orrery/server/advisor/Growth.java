package dev.orrery.server.advisor;

/**
 * How much a collection grows.
 *
 * @param monthlyShare by which part of itself each month, as somebody said; negative if nobody did,
 *     and what the workload inserts is taken
 */
public record Growth(double monthlyShare) {
  /** What the workload inserts goes on for ever. */
  public static final Growth MEASURED = new Growth(-1);

  static final double DAYS_PER_MONTH = 365.25 / 12;

  boolean isMeasured() {
    return monthlyShare < 0;
  }

  /** Bytes after some months. */
  double after(double bytes, double bytesPerDay, double months) {
    return isMeasured()
        ? bytes + bytesPerDay * DAYS_PER_MONTH * months
        : bytes * Math.pow(1 + monthlyShare, months);
  }

  /** In how many days so many bytes are reached; infinite if never. */
  double daysUntil(double limit, double bytes, double bytesPerDay) {
    if (bytes >= limit) {
      return 0;
    }
    if (isMeasured()) {
      return bytesPerDay <= 0 ? Double.POSITIVE_INFINITY : (limit - bytes) / bytesPerDay;
    }
    return monthlyShare == 0 || bytes == 0
        ? Double.POSITIVE_INFINITY
        : Math.log(limit / bytes) / Math.log(1 + monthlyShare) * DAYS_PER_MONTH;
  }
}
