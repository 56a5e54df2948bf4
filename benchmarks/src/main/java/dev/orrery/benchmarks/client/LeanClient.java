package dev.orrery.benchmarks.client;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;

/**
 * One thread over many non-blocking connections, each with one request in flight: as little work as
 * a client can do, so that the server is what is measured.
 */
public final class LeanClient implements LoadClient {
  private final Selector selector = Selector.open();
  private final List<LeanConnection> connections = new ArrayList<>();

  public LeanClient(InetSocketAddress server, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      connections.add(new LeanConnection(i, server, selector));
    }
  }

  @Override
  public Load run(Traffic traffic, Limit limit) throws IOException {
    var latencies = new Histogram();
    long start = System.nanoTime();
    long deadline = start + limit.nanos();
    long left = limit.requests();
    int inFlight = 0;
    for (LeanConnection connection : connections) {
      if (left > 0) {
        connection.send(traffic);
        left--;
        inFlight++;
      }
    }
    while (inFlight > 0) {
      selector.select();
      for (SelectionKey key : selector.selectedKeys()) {
        var connection = (LeanConnection) key.attachment();
        if (connection.proceed(latencies)) {
          boolean isOver = left == 0 || System.nanoTime() >= deadline;
          if (isOver) {
            inFlight--;
          } else {
            left--;
            connection.send(traffic);
          }
        }
      }
      selector.selectedKeys().clear();
    }
    return new Load(latencies.count(), System.nanoTime() - start, latencies);
  }

  @Override
  public void close() throws IOException {
    for (LeanConnection connection : connections) {
      connection.close();
    }
    selector.close();
  }
}
