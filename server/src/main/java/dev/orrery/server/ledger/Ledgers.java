package dev.orrery.server.ledger;

import dev.orrery.server.operation.Operation;
import dev.orrery.server.operation.OperationListener;
import dev.orrery.server.throughput.CosmosRule;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The ledgers that are open, by name: each adds up the requests of its {@link CostScope}. Passes
 * every request on to the listener behind it. Thread-safe.
 */
public final class Ledgers implements OperationListener {
  /** Ledgers that may be open at a time. */
  public static final int OPEN_MAX = 1_000;

  private record Open(CostScope scope, CostLedger ledger) {}

  private final Map<String, Open> open = new ConcurrentHashMap<>();
  private OperationListener next = OperationListener.NONE;

  /** Says who is told of every request, too; to be called before the first one. */
  public Ledgers before(OperationListener listener) {
    next = listener;
    return this;
  }

  /** Opens a ledger, in the place of one that has the name; null when there are too many. */
  public @Nullable CostLedger open(String name, CostScope scope) {
    if (open.size() >= OPEN_MAX && !open.containsKey(name)) {
      return null;
    }
    var ledger = new CostLedger();
    open.put(name, new Open(scope, ledger));
    return ledger;
  }

  /** Ends a ledger, and tells what is in it; null when there is none of that name. */
  public @Nullable Costs close(String name) {
    Open closed = open.remove(name);
    return closed == null ? null : closed.ledger.costs();
  }

  /** Whether anybody wants to know of refusals that do not happen, and of faults. */
  public boolean isWatching() {
    return !open.isEmpty();
  }

  /** Tells those who count all requests of something that Cosmos DB would have refused. */
  public void addGap(CosmosRule rule, String place, String words) {
    var gap = new Costs.Gap(rule.ruleName(), place, words);
    open.values().stream()
        .filter(each -> each.scope instanceof CostScope.All)
        .forEach(each -> each.ledger.add(gap));
  }

  /** Tells those who count all requests of a fault that was injected. */
  public void addFault(String fault) {
    open.values().stream()
        .filter(each -> each.scope instanceof CostScope.All)
        .forEach(each -> each.ledger.addFault(fault));
  }

  @Override
  public boolean ended(Operation operation, long nanos) {
    if (!open.isEmpty()) {
      add(Expense.of(operation));
    }
    return next.ended(operation, nanos);
  }

  private void add(Expense expense) {
    if (expense.isNothing()) {
      return;
    }
    var request =
        new CostScope.Subjects(
            expense.subject().session(),
            expense.comment(),
            expense.application(),
            expense.subject().database());
    for (Open each : open.values()) {
      if (each.scope.has(request)) {
        each.ledger.add(expense);
      }
    }
  }

  @Override
  public void write(Ended ended, Runnable then) {
    next.write(ended, then);
  }
}
