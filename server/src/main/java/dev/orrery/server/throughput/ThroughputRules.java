package dev.orrery.server.throughput;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;

/** Which throughput may be asked for, and Cosmos DB's words for the rest. */
public final class ThroughputRules {
  /** What a collection without a partition key may have: one partition's worth. */
  public static final long FIXED_MAX = 10_000;

  /** What a collection with a partition key had to have in 2018. */
  public static final long LEAST_WITH_KEY_2018 = 1_000;

  static final long MAX = 1_000_000;
  private static final long GIGABYTE = 1L << 30;
  private static final long MANUAL_MIN = 400;
  private static final long AUTOSCALE_MIN = 1_000;
  private static final int FREE_COLLECTIONS = 25;

  private ThroughputRules() {}

  /**
   * What an offer is for.
   *
   * @param isFixed a collection without a partition key
   * @param bytes of all documents
   * @param collections how many share it; 0 for the offer of a single collection
   */
  public record Subject(boolean isFixed, long bytes, int collections) {
    /** A collection, or a database, that has nothing yet. */
    public static Subject empty(boolean isFixed) {
      return new Subject(isFixed, 0, 0);
    }
  }

  /** Refuses an offer outside of its range, or below what its history and size demand. */
  public static void require(Throughput asked, Throughput present, Subject subject) {
    long step = asked.isAutoscale() ? AUTOSCALE_MIN : 100;
    long most = subject.isFixed ? FIXED_MAX : MAX;
    long least = minimum(asked, present, subject);
    long units = asked.unitsPerSecond();
    if (units >= least && units <= most && units % step == 0) {
      return;
    }
    String text =
        "The offer should have valid throughput values between %d and %d inclusive in increments"
            + " of %d.";
    String message = text.formatted(least, most, step);
    long plain = asked.isAutoscale() ? AUTOSCALE_MIN : MANUAL_MIN;
    if (units < least && least > plain) {
      message += reason(units, least, present);
    }
    throw new CommandException(ErrorCode.BAD_VALUE, message);
  }

  /** The same for a collection with a partition key, which may have to have more. */
  public static void require(
      Throughput asked, Throughput present, Subject subject, CosmosRules rules) {
    require(asked, present, subject);
    if (!subject.isFixed && asked.unitsPerSecond() < rules.leastWithKey()) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          ("The offer should have valid throughput values between %d and %d inclusive in increments"
                  + " of 100.")
              .formatted(rules.leastWithKey(), MAX));
    }
  }

  /** The least that may be asked for, a whole number of steps. */
  public static long minimum(Throughput asked, Throughput present, Subject subject) {
    long gigabytes = (subject.bytes + GIGABYTE - 1) / GIGABYTE;
    long further = Math.max(0, subject.collections - FREE_COLLECTIONS);
    if (asked.isAutoscale()) {
      long least = Math.max(gigabytes * 10, present.highest() / 10);
      least = Math.max(least, AUTOSCALE_MIN + further * AUTOSCALE_MIN);
      return roundUp(least, AUTOSCALE_MIN);
    }
    long least = Math.max(gigabytes, present.highest() / 100);
    return roundUp(Math.max(least, MANUAL_MIN + further * 100), 100);
  }

  private static long roundUp(long value, long step) {
    return (value + step - 1) / step * step;
  }

  private static String reason(long units, long least, Throughput present) {
    return (" Requested throughput %d is less than required minimum throughput %d. Minimum limit"
            + " %d is because of Highest RUs provisioned %d.")
        .formatted(units, least, least, present.highest());
  }
}
