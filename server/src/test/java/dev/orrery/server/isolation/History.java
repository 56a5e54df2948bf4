package dev.orrery.server.isolation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What clients did and saw: transactions that append numbers to lists and read lists. Every number
 * is appended once, so a list tells which versions there were, and in which order. Thread-safe.
 */
public final class History {
  /** How a transaction ended, as far as its client knows. */
  public enum End {
    COMMITTED,
    ABORTED,
    UNKNOWN
  }

  /**
   * One step of a transaction.
   *
   * @param seen what was read; empty for an append
   * @param appended the number that was appended; 0 for a read
   */
  public record Step(int key, List<Integer> seen, int appended) {
    public static Step read(int key, List<Integer> seen) {
      return new Step(key, List.copyOf(seen), 0);
    }

    public static Step append(int key, int number) {
      return new Step(key, List.of(), number);
    }

    boolean isRead() {
      return appended == 0;
    }
  }

  /**
   * A transaction that has ended.
   *
   * @param client who ran it; one after the other, in the order in which they were added
   */
  public record Ended(int client, End end, List<Step> steps) {
    public Ended {
      steps = List.copyOf(steps);
    }
  }

  private final List<Ended> all = Collections.synchronizedList(new ArrayList<>());

  public void add(Ended transaction) {
    all.add(transaction);
  }

  List<Ended> all() {
    synchronized (all) {
      return List.copyOf(all);
    }
  }
}
