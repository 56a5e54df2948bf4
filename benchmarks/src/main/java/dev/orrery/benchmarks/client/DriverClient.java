package dev.orrery.benchmarks.client;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.BsonDocument;

/** MongoDB's synchronous driver, a thread for each connection, running the same commands. */
public final class DriverClient implements LoadClient {
  private final MongoClient client;
  private final ExecutorService threads;
  private final int connections;

  public DriverClient(InetSocketAddress server, int connections) {
    this.connections = connections;
    String uri = "mongodb://%s:%d".formatted(server.getHostString(), server.getPort());
    client =
        MongoClients.create(
            MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(uri))
                .applyToConnectionPoolSettings(pool -> pool.maxSize(connections))
                .build());
    threads = Executors.newFixedThreadPool(connections);
  }

  @Override
  public Load run(Traffic traffic, Limit limit) throws IOException {
    long start = System.nanoTime();
    var left = new AtomicLong(limit.requests());
    var running = new ArrayList<Future<Histogram>>();
    for (int i = 0; i < connections; i++) {
      var worker = new Worker(i, traffic, start + limit.nanos(), left);
      running.add(threads.submit(worker::run));
    }
    var latencies = new Histogram();
    for (Future<Histogram> worker : running) {
      latencies.add(await(worker));
    }
    return new Load(latencies.count(), System.nanoTime() - start, latencies);
  }

  private static Histogram await(Future<Histogram> worker) throws IOException {
    try {
      return worker.get();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
    client.close();
  }

  /** One thread and what it sends. */
  private final class Worker {
    private final int number;
    private final Traffic traffic;
    private final long deadline;
    private final AtomicLong left;
    private final ByteBuffer message;
    private final Histogram latencies = new Histogram();

    Worker(int number, Traffic traffic, long deadline, AtomicLong left) {
      this.number = number;
      this.traffic = traffic;
      this.deadline = deadline;
      this.left = left;
      message = ByteBuffer.allocate(traffic.messageBytes()).order(ByteOrder.LITTLE_ENDIAN);
    }

    Histogram run() {
      while (System.nanoTime() < deadline && left.getAndDecrement() > 0) {
        BsonDocument command = next();
        String database = command.remove("$db").asString().getValue();
        long start = System.nanoTime();
        BsonDocument reply = client.getDatabase(database).runCommand(command, BsonDocument.class);
        latencies.record(System.nanoTime() - start);
        if (reply.containsKey("writeErrors")) {
          throw new IllegalStateException("a bad reply: " + reply.toJson());
        }
      }
      return latencies;
    }

    private BsonDocument next() {
      message.clear();
      synchronized (traffic) {
        traffic.next(number, message);
      }
      return Messages.decode(message.flip());
    }
  }
}
