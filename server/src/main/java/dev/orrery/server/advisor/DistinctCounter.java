package dev.orrery.server.advisor;

/**
 * Estimates how many different values it was shown, in 16 KB and with a standard error of 0.8 %.
 * This is HyperLogLog (Flajolet and others, 2007) with linear counting for small numbers.
 */
public final class DistinctCounter {
  private static final int INDEX_BITS = 14;
  private static final int REGISTERS = 1 << INDEX_BITS;
  private static final double ALPHA = 0.7213 / (1 + 1.079 / REGISTERS);
  private static final double LINEAR_UNTIL = 2.5 * REGISTERS;

  private final byte[] registers = new byte[REGISTERS];

  /** Shows a value by its hash, all of whose bits are as good as random. */
  public void add(long hash) {
    int index = (int) (hash >>> Long.SIZE - INDEX_BITS);
    int rank = Long.numberOfLeadingZeros(hash << INDEX_BITS | 1L << INDEX_BITS - 1) + 1;
    registers[index] = (byte) Math.max(registers[index], rank);
  }

  public long estimate() {
    double sum = 0;
    int zeros = 0;
    for (byte register : registers) {
      sum += 1.0 / (1L << register);
      zeros += register == 0 ? 1 : 0;
    }
    double estimate = ALPHA * REGISTERS * REGISTERS / sum;
    if (estimate <= LINEAR_UNTIL && zeros > 0) {
      estimate = REGISTERS * Math.log(REGISTERS / (double) zeros);
    }
    return Math.round(estimate);
  }
}
