package dev.orrery.server.ledger;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Adds up what requests cost, every one of them. Thread-safe. */
public final class CostLedger {
  /** Names of one kind that are told apart; what comes later is summed up as {@link #OTHERS}. */
  static final int NAMES_MAX = 10_000;

  static final String OTHERS = "(others)";

  private Sum total = Sum.NOTHING;
  private final Map<String, Sum> collections = new HashMap<>();
  private final Map<String, ShapeCost> shapes = new HashMap<>();
  private final Map<String, Sum> applications = new HashMap<>();
  private final Map<String, Sum> comments = new HashMap<>();
  private final Map<Costs.Gap, Long> gaps = new HashMap<>();
  private final Map<String, Long> faults = new HashMap<>();

  synchronized void add(Expense expense) {
    total = total.plus(expense);
    add(collections, expense.subject().namespace(), expense);
    add(applications, expense.application(), expense);
    add(comments, expense.comment(), expense);
    String shape = bounded(shapes, expense.shape());
    ShapeCost known = shapes.get(shape);
    shapes.put(shape, known == null ? ShapeCost.first(expense) : known.plus(expense));
  }

  private static void add(Map<String, Sum> sums, @Nullable String name, Expense expense) {
    if (name != null) {
      sums.merge(bounded(sums, name), Sum.NOTHING.plus(expense), (sum, first) -> sum.plus(expense));
    }
  }

  private static String bounded(Map<String, ?> known, String name) {
    return known.size() < NAMES_MAX || known.containsKey(name) ? name : OTHERS;
  }

  /** Counts something that Cosmos DB would have refused. */
  synchronized void add(Costs.Gap gap) {
    count(gaps, gap, gaps.size() < NAMES_MAX);
  }

  /** Counts a fault that somebody ordered. */
  synchronized void addFault(String fault) {
    count(faults, fault, faults.size() < NAMES_MAX);
  }

  private static <K> void count(Map<K, Long> counts, K key, boolean hasRoom) {
    BiFunction<K, Long, Long> next = (same, count) -> count == null ? 1 : count + 1;
    if (hasRoom || counts.containsKey(key)) {
      counts.compute(key, next);
    }
  }

  /** Everything up to now. */
  public synchronized Costs costs() {
    return new Costs(total, collections, shapes, applications, comments, gaps, faults);
  }
}
