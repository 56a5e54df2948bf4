package dev.orrery.benchmarks.client;

import java.io.Closeable;
import java.io.IOException;

/** Sends traffic over its connections, one request at a time on each, as fast as replies come. */
public interface LoadClient extends Closeable {
  Load run(Traffic traffic, Limit limit) throws IOException;

  /** What a run came to. */
  record Load(long requests, long nanos, Histogram latencies) {
    public double perSecond() {
      return requests * 1e9 / nanos;
    }

    public Load plus(Load later) {
      latencies.add(later.latencies);
      return new Load(requests + later.requests, nanos + later.nanos, latencies);
    }
  }

  /** When to stop: after a time, or after a number of requests. */
  record Limit(long nanos, long requests) {
    public static Limit seconds(double seconds) {
      return new Limit((long) (seconds * 1e9), Long.MAX_VALUE);
    }

    public static Limit requests(long requests) {
      return new Limit(Long.MAX_VALUE / 2, requests);
    }
  }
}
