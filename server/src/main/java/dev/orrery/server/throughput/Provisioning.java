package dev.orrery.server.throughput;

/**
 * How a server hands out throughput.
 *
 * @param partitionUnits what one physical partition can do: request units per second
 * @param isCosmos whether the refusals and the defaults of Cosmos DB are in force
 */
public record Provisioning(long partitionUnits, boolean isCosmos) {
  public static final long PARTITION_UNITS = 10_000;

  /** What a collection gets when nobody says how much. */
  public static final long DEFAULT_UNITS = 400;

  /** Everything that is implemented is allowed, and nothing is limited unless it is asked for. */
  public static final Provisioning EXTENDED = new Provisioning(PARTITION_UNITS, false);

  /** The throughput of a collection that a write, or a plain {@code create}, brings about. */
  public Throughput ofNewCollection(Throughput database) {
    return isCosmos && !database.isProvisioned()
        ? Throughput.manual(DEFAULT_UNITS)
        : Throughput.NONE;
  }

  /** How many partitions a new collection gets. */
  public int partitions(String partitionKey, Throughput own, Throughput database) {
    if (partitionKey == null) {
      return 1;
    }
    return (own.isProvisioned() ? own : database).partitions(partitionUnits);
  }
}
