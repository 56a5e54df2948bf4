package dev.orrery.benchmarks.workload;

import java.util.List;

/**
 * How much is done.
 *
 * @param scale by what the numbers of documents are multiplied
 * @param rounds how often each server is measured where no goal is read from it
 * @param seconds how long a measurement takes
 * @param connections of the clients, from few to many
 * @param isDriver whether MongoDB's driver is the client, instead of the lean one
 */
public record Plan(
    double scale, int rounds, double seconds, List<Integer> connections, boolean isDriver) {
  private static final int JUDGED = 3;

  public Plan {
    connections = connections.stream().sorted().toList();
  }

  /** Rounds differ by a tenth or two, so what goals are read from has more of them. */
  int judgedRounds() {
    return JUDGED * rounds;
  }

  /** The goals are read from the most connections. */
  int rounds(int connections) {
    return connections == mostConnections() ? judgedRounds() : rounds;
  }

  public int documents(int atScaleOne) {
    return (int) Math.max(1000, atScaleOne * scale);
  }

  public int mostConnections() {
    return connections.get(connections.size() - 1);
  }
}
