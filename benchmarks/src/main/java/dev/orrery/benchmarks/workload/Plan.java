package dev.orrery.benchmarks.workload;

import java.util.List;

/**
 * How much is done.
 *
 * @param scale by what the numbers of documents are multiplied
 * @param rounds how often each server is measured
 * @param seconds how long a measurement takes
 * @param connections of the clients, from few to many
 * @param isDriver whether MongoDB's driver is the client, instead of the lean one
 */
public record Plan(
    double scale, int rounds, double seconds, List<Integer> connections, boolean isDriver) {
  public Plan {
    connections = connections.stream().sorted().toList();
  }

  public int documents(int atScaleOne) {
    return (int) Math.max(1000, atScaleOne * scale);
  }

  public int mostConnections() {
    return connections.get(connections.size() - 1);
  }
}
