package dev.orrery.server.advisor;

import java.util.List;

/**
 * What is to be said of the choice of a key.
 *
 * @param verdicts the best candidate first
 * @param seconds how long the workload is
 */
public record KeyAdvice(
    List<Verdict> verdicts,
    long documents,
    long bytes,
    long requests,
    double seconds,
    int partitions,
    Prices prices) {
  /** The standard error of estimated counts of values, in percent. */
  static final double ERROR_PERCENT = 0.8;

  public KeyAdvice {
    verdicts = List.copyOf(verdicts);
  }

  public Verdict best() {
    return verdicts.get(0);
  }
}
