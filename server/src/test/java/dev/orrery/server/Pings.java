package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.Document;

/** Many connections that ask for a sign of life all the time, and how long they wait for it. */
final class Pings implements AutoCloseable {
  private static final int CONNECTIONS = 20;
  private static final long PAUSE_MILLIS = 20;

  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong longestNanos = new AtomicLong();
  private final AtomicLong count = new AtomicLong();
  private final MongoClient client;
  private volatile boolean isClosed;
  private volatile RuntimeException failure;

  Pings(TestServer server) {
    client = server.client("", "minPoolSize=" + CONNECTIONS + "&maxPoolSize=" + CONNECTIONS);
    for (int i = 0; i < CONNECTIONS; i++) {
      threads.add(new Thread(this::ping, "ping-" + i));
    }
    threads.forEach(Thread::start);
  }

  private void ping() {
    try {
      while (!isClosed) {
        long start = System.nanoTime();
        client.getDatabase("admin").runCommand(new Document("ping", 1));
        long nanos = System.nanoTime() - start;
        longestNanos.accumulateAndGet(nanos, Math::max);
        count.incrementAndGet();
        Thread.sleep(PAUSE_MILLIS);
      }
    } catch (RuntimeException e) {
      failure = e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Runs something during which no ping may wait for longer. */
  void during(String what, long millisMax, Runnable hostile) {
    longestNanos.set(0);
    count.set(0);
    hostile.run();
    while (count.get() < CONNECTIONS && failure == null) {
      Thread.onSpinWait();
    }
    assertThat(failure).isNull();
    assertThat(longestNanos.get() / 1_000_000)
        .as("the longest wait for a ping during " + what)
        .isLessThan(millisMax);
  }

  @Override
  public void close() {
    isClosed = true;
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    client.close();
  }
}
