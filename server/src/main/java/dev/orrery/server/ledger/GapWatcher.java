package dev.orrery.server.ledger;

import dev.orrery.server.throughput.CosmosRule;
import dev.orrery.server.throughput.CosmosRules;

/** Tells the ledgers what requests did that Cosmos DB refuses, while any of them is open. */
public final class GapWatcher implements CosmosRules.Watcher {
  private final Ledgers ledgers;

  public GapWatcher(Ledgers ledgers) {
    this.ledgers = ledgers;
  }

  @Override
  public boolean isWatching() {
    return ledgers.isWatching();
  }

  @Override
  public void passed(CosmosRule rule, String place, String words) {
    ledgers.addGap(rule, place, words);
  }
}
