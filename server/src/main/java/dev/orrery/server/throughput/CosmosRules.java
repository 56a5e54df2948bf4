package dev.orrery.server.throughput;

import dev.orrery.language.error.CommandException;
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
  private volatile long leastWithKey;
  private volatile Consistency consistency = Consistency.SESSION;
  private volatile boolean hasServerSideRetry;
  private volatile AccountLimits account = AccountLimits.none();
  private Watcher watcher = Watcher.NOBODY;

  /** Is told of what a rule would have refused that is not in force. */
  public interface Watcher {
    Watcher NOBODY =
        new Watcher() {
          @Override
          public boolean isWatching() {
            return false;
          }

          @Override
          public void passed(CosmosRule rule, String place, String words) {}
        };

    /** Whether anybody wants to know; what is costly to find out is not looked for otherwise. */
    boolean isWatching();

    /**
     * A request was let pass.
     *
     * @param place the collection, and what of the request is meant
     * @param words what Cosmos DB says
     */
    void passed(CosmosRule rule, String place, String words);
  }

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

  /** Whether it matters that a request breaks the rule: it is in force, or somebody watches. */
  public boolean concerns(CosmosRule rule) {
    return isInForce(rule) || watcher.isWatching();
  }

  /** Refuses a request that breaks a rule, if that is in force. */
  public void refuse(CosmosRule rule, String place, CommandException refusal) {
    if (isInForce(rule)) {
      throw refusal;
    }
    watcher.passed(rule, place, refusal.getMessage());
  }

  /** Says who is told of what is not refused; to be called before the first request. */
  public void watchedBy(Watcher newWatcher) {
    watcher = newWatcher;
  }

  /** Whether any rule may concern anybody. */
  public boolean isIdle() {
    return !isCosmos && !watcher.isWatching();
  }

  /** Switches these off, and all others on again. */
  public void switchOff(Set<CosmosRule> rules) {
    off = rules.isEmpty() ? Set.of() : EnumSet.copyOf(rules);
  }

  /** The names of those that are off, separated by commas. */
  public String off() {
    return off.stream().map(CosmosRule::ruleName).collect(Collectors.joining(","));
  }

  /** Lets collections with a partition key have that much throughput at least. */
  public void setLeastWithKey(long units) {
    leastWithKey = units;
  }

  /** The least throughput of a collection with a partition key; 0 when that is no special case. */
  public long leastWithKey() {
    return leastWithKey;
  }

  /** Says whether the server itself tries again what it refused for want of units. */
  public void setServerSideRetry(boolean isOn) {
    hasServerSideRetry = isOn;
  }

  public boolean hasServerSideRetry() {
    return hasServerSideRetry;
  }

  public void setAccount(AccountLimits limits) {
    account = limits;
  }

  /** What the account may do as a whole, whatever the profile. */
  public AccountLimits account() {
    return account;
  }

  public void setConsistency(Consistency level) {
    consistency = level;
  }

  /** What a read costs at the level of the account. */
  public RequestCharge ofRead(RequestCharge price) {
    return consistency.doublesReads() ? RequestUnits.underStrongConsistency(price) : price;
  }

  /** Whether small partitions save up to five minutes' worth for bursts. */
  public boolean hasBurst() {
    return hasBurst;
  }

  public void setBurst(boolean isOn) {
    hasBurst = isOn;
  }
}
