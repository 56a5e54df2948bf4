package dev.orrery.storage;

/** Exact counts of a physical partition: documents, their bytes, and distinct partition keys. */
public record PartitionStatistics(long documents, long bytes, long keys) {
  /** Of nothing. */
  public static final PartitionStatistics NONE = new PartitionStatistics(0, 0, 0);

  public PartitionStatistics plus(PartitionStatistics other) {
    return new PartitionStatistics(
        documents + other.documents, bytes + other.bytes, keys + other.keys);
  }
}
