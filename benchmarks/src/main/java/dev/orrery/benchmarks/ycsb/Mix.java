package dev.orrery.benchmarks.ycsb;

/** The shares, out of 1, of the operations of a workload. What is left over is inserts. */
public record Mix(double reads, double updates, double scans, double readModifyWrites) {
  public static final Mix A = new Mix(0.5, 0.5, 0, 0);
  public static final Mix B = new Mix(0.95, 0.05, 0, 0);
  public static final Mix C = new Mix(1, 0, 0, 0);
  public static final Mix D = new Mix(0.95, 0, 0, 0);
  public static final Mix E = new Mix(0, 0, 0.95, 0);
  public static final Mix F = new Mix(0.5, 0, 0, 0.5);

  /** What a client does next. */
  public enum Operation {
    READ,
    UPDATE,
    SCAN,
    READ_MODIFY_WRITE,
    INSERT
  }

  public boolean hasInserts() {
    return reads + updates + scans + readModifyWrites < 1;
  }

  /**
   * @param share a random number from 0 to 1
   */
  public Operation operation(double share) {
    double left = share;
    if ((left -= reads) < 0) {
      return Operation.READ;
    }
    if ((left -= updates) < 0) {
      return Operation.UPDATE;
    }
    if ((left -= scans) < 0) {
      return Operation.SCAN;
    }
    return left < readModifyWrites ? Operation.READ_MODIFY_WRITE : Operation.INSERT;
  }
}
