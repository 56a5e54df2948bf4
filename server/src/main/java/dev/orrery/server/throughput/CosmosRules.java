package dev.orrery.server.throughput;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which refusals of Cosmos DB are in force, and whether partitions save up what they do not spend.
 * Can be changed while the server runs. Thread-safe.
 */
public final class CosmosRules {
  private final boolean isCosmos;
  private volatile Set<CosmosRule> off = Set.of();
  private volatile boolean hasBurst;

  private CosmosRules(boolean isCosmos) {
    this.isCosmos = isCosmos;
  }

  /** All rules. */
  public static CosmosRules cosmos() {
    return new CosmosRules(true);
  }

  /** No rule. */
  public static CosmosRules extended() {
    return new CosmosRules(false);
  }

  public boolean isCosmos() {
    return isCosmos;
  }

  public boolean isInForce(CosmosRule rule) {
    return isCosmos && !off.contains(rule);
  }

  /** Switches these off, and all others on again. */
  public void switchOff(Set<CosmosRule> rules) {
    off = rules.isEmpty() ? Set.of() : EnumSet.copyOf(rules);
  }

  /** The names of those that are off, separated by commas. */
  public String off() {
    return off.stream().map(CosmosRule::ruleName).collect(Collectors.joining(","));
  }

  /** Whether small partitions save up to five minutes' worth for bursts. */
  public boolean hasBurst() {
    return hasBurst;
  }

  public void setBurst(boolean isOn) {
    hasBurst = isOn;
  }
}
