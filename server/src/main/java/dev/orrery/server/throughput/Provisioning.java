package dev.orrery.server.throughput;

/**
 * How a server hands out throughput.
 *
 * @param partitionUnits what one physical partition can do: request units per second
 * @param rules the refusals and defaults of Cosmos DB
 */
public record Provisioning(long partitionUnits, CosmosRules rules) {
  public static final long PARTITION_UNITS = 10_000;

  /** What a collection gets when nobody says how much. */
  public static final long DEFAULT_UNITS = 400;

  /** Everything that is implemented is allowed, and nothing is limited unless it is asked for. */
  public static final Provisioning EXTENDED = new Provisioning(PARTITION_UNITS, false);

  public Provisioning(long partitionUnits, boolean isCosmos) {
    this(partitionUnits, isCosmos ? CosmosRules.cosmos() : CosmosRules.extended());
  }

  public boolean isInForce(CosmosRule rule) {
    return rules.isInForce(rule);
  }

  /** The throughput of a collection that a write, or a plain {@code create}, brings about. */
  public Throughput ofNewCollection(Throughput database) {
    if (rules.account().isServerless()) {
      return Throughput.manual(AccountLimits.SERVERLESS_UNITS);
    }
    return isInForce(CosmosRule.DEFAULT_THROUGHPUT) && !database.isProvisioned()
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
