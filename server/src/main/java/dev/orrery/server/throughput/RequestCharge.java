package dev.orrery.server.throughput;

/**
 * A price in request units, kept exactly: every published price is a whole number of twenty-firsts
 * of a request unit.
 */
public record RequestCharge(long twentyFirsts) implements Comparable<RequestCharge> {
  public static final int UNIT = 21;

  public static final RequestCharge NOTHING = new RequestCharge(0);

  public RequestCharge {
    if (twentyFirsts < 0) {
      throw new IllegalArgumentException("a negative charge: " + twentyFirsts);
    }
  }

  public RequestCharge plus(RequestCharge other) {
    return new RequestCharge(Math.addExact(twentyFirsts, other.twentyFirsts));
  }

  public RequestCharge times(long count) {
    return new RequestCharge(Math.multiplyExact(twentyFirsts, count));
  }

  /** The price as clients see it. */
  public double toDouble() {
    return (double) twentyFirsts / UNIT;
  }

  @Override
  public int compareTo(RequestCharge other) {
    return Long.compare(twentyFirsts, other.twentyFirsts);
  }

  @Override
  public String toString() {
    return "%.2f RU".formatted(toDouble());
  }
}
