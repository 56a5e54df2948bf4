package dev.orrery.testkit;

import dev.orrery.server.ledger.Costs;
import java.util.Locale;
import java.util.stream.Collectors;

/** What is being spent, from {@link Orrery#count} until it is asked for. */
public final class Spending {
  private static final int DEAREST = 5;

  private final Orrery server;
  private final String name;

  Spending(Orrery server, String name) {
    this.server = server;
    this.name = name;
  }

  /**
   * What was spent, in request units.
   *
   * @param units in all
   * @param requests how many requests cost something
   * @param throttled how often one was refused for its rate
   * @param dearest the dearest requests, one of each shape, each on a line
   */
  public record Spent(double units, long requests, long throttled, String dearest) {}

  /** Ends the counting; may be called once. */
  public Spent end() {
    Costs costs = server.end(name);
    String dearest =
        costs.dearest(DEAREST).stream()
            .map(
                entry ->
                    String.format(
                        Locale.ROOT,
                        "%8.2f RU  %s  %s",
                        entry.getValue().dearest().toDouble(),
                        entry.getKey(),
                        entry.getValue().effort().plan()))
            .collect(Collectors.joining("\n"));
    return new Spent(
        costs.total().charge().toDouble(),
        costs.total().requests(),
        costs.total().refused(),
        dearest);
  }

  /** Ends the counting, and fails when more was spent. */
  public void requireAtMost(double units) {
    Spent spent = end();
    if (spent.units > units) {
      throw new AssertionError(
          String.format(
              Locale.ROOT,
              "%d requests cost %.2f RU, more than %.2f; the dearest:%n%s",
              spent.requests,
              spent.units,
              units,
              spent.dearest));
    }
  }
}
