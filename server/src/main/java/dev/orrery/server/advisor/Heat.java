package dev.orrery.server.advisor;

import java.util.Arrays;

/**
 * What partitions spend over time, in memory of a fixed size: sums, how much of each second's work
 * one partition does, and a picture of a fixed width.
 */
final class Heat {
  static final int COLUMNS = 60;

  /** Per second of the busiest partition, in steps of a twentieth. */
  private static final int STEPS = 400;

  private static final double STEP = Math.log(1.05);
  private static final long SECOND = 1_000_000_000L;

  private final double[] sums;
  private final double[] second;
  private final double[][] columns;
  private final long[] busiest = new long[STEPS];
  private long columnSeconds = 1;
  private long present = -1;
  private long first = -1;
  private double ofBusiest;
  private double total;

  Heat(int partitions) {
    sums = new double[partitions];
    second = new double[partitions];
    columns = new double[COLUMNS][partitions];
  }

  void add(Pricing.Cost cost, long nanos) {
    long now = nanos / SECOND;
    if (now > present) {
      endSecond();
      present = now;
      first = first < 0 ? now : first;
    }
    for (int i = 0; i < cost.asked().length; i++) {
      second[cost.asked()[i]] += cost.in(i);
    }
  }

  /** To be called when all was added. */
  void finish() {
    endSecond();
  }

  private void endSecond() {
    if (present < 0) {
      return;
    }
    double most = 0;
    int column = column();
    for (int i = 0; i < second.length; i++) {
      most = Math.max(most, second[i]);
      total += second[i];
      sums[i] += second[i];
      columns[column][i] += second[i];
    }
    ofBusiest += most;
    int step = most < 1 ? 0 : (int) Math.min(STEPS - 1, 1 + Math.log(most) / STEP);
    busiest[step]++;
    Arrays.fill(second, 0);
  }

  /** The column of the present second; when there is none left, two become one. */
  private int column() {
    while ((present - first) / columnSeconds >= COLUMNS) {
      for (int i = 0; i < COLUMNS; i++) {
        double[] merged = new double[sums.length];
        for (int p = 0; p < sums.length && 2 * i + 1 < COLUMNS; p++) {
          merged[p] = columns[2 * i][p] + columns[2 * i + 1][p];
        }
        columns[i] = merged;
      }
      columnSeconds *= 2;
    }
    return (int) ((present - first) / columnSeconds);
  }

  /**
   * Twenty-firsts of a request unit that the busiest partition spends in all but 1 % of seconds.
   */
  double p99() {
    long seconds = 0;
    for (long count : busiest) {
      seconds += count;
    }
    long seen = 0;
    for (int i = 0; i < STEPS; i++) {
      seen += busiest[i];
      if (seen >= Math.ceil(seconds * 0.99)) {
        return i == 0 ? 0 : Math.exp(i * STEP);
      }
    }
    return 0;
  }

  /** The share of the work that the busiest partition of each second does. */
  double shareOfBusiest() {
    return total == 0 ? 0 : ofBusiest / total;
  }

  /** The share of the work that the busiest partition does over all the time. */
  double shareOfFullest() {
    return total == 0 ? 0 : Arrays.stream(sums).max().orElse(0) / total;
  }

  double total() {
    return total;
  }

  double[] sums() {
    return sums.clone();
  }

  long columnSeconds() {
    return columnSeconds;
  }

  /** By column of time and partition, up to the last second. */
  double[][] picture() {
    int used = present < 0 ? 0 : (int) ((present - first) / columnSeconds) + 1;
    return Arrays.copyOf(columns, used);
  }
}
