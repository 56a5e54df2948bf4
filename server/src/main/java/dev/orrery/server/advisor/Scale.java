package dev.orrery.server.advisor;

/** How large partitions are. */
final class Scale {
  /** Request units per second of one physical partition. */
  static final long PARTITION_UNITS = 10_000;

  /** What one physical partition holds. */
  static final long PARTITION_BYTES = 50L << 30;

  /** What one value of the partition key may have. */
  static final long LOGICAL_BYTES = 20L << 30;

  /** What a collection has at the least. */
  static final long UNITS_MIN = 400;

  private Scale() {}

  static int partitionsOf(long unitsPerSecond) {
    return (int) Math.max(1, (unitsPerSecond + PARTITION_UNITS - 1) / PARTITION_UNITS);
  }

  static int partitionsFor(double bytes) {
    return (int) Math.max(1, Math.ceil(bytes / PARTITION_BYTES));
  }
}
