package dev.orrery.testkit;

import com.mongodb.ConnectionString;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import dev.orrery.server.EmbeddedServer;
import dev.orrery.server.ledger.CostScope;
import dev.orrery.server.ledger.Costs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A server in this process, on a free port of this machine and with a store that is gone when it is
 * closed. Needs no flags of the Java virtual machine, any number may run at a time, and none ends
 * the process. Thread-safe.
 */
public final class Orrery implements AutoCloseable {
  private static final Set<String> SYSTEM = Set.of("admin", "config", "local");

  private final EmbeddedServer server;
  private final AtomicLong scopes = new AtomicLong();
  private @Nullable MongoClient client;

  private Orrery(EmbeddedServer server) {
    this.server = server;
  }

  public static Orrery start() {
    return start(OrreryOptions.defaults());
  }

  /**
   * Starts a server; it serves when this returns.
   *
   * @throws IllegalArgumentException if the options make no sense
   */
  public static Orrery start(OrreryOptions options) {
    try {
      return new Orrery(
          EmbeddedServer.start(EmbeddedServer.Keys.ON_HEAP, Map.of(), options.arguments()));
    } catch (IOException e) {
      throw new UncheckedIOException("the server cannot be started: " + e.getMessage(), e);
    }
  }

  public int port() {
    return server.address().getPort();
  }

  /** What any client on this machine connects to. */
  public ConnectionString connectionString() {
    return connectionString("");
  }

  /** The same with a database; that of a server with the profile cosmos is as Azure's. */
  public ConnectionString connectionString(String database) {
    String options = server.isCosmos() ? "?retryWrites=false" : "";
    return new ConnectionString(server.uri() + database + options);
  }

  /** A client that lives as long as the server; who closes it gets no other one. */
  public synchronized MongoClient client() {
    if (client == null) {
      client = MongoClients.create(connectionString());
    }
    return client;
  }

  /** Drops every database that is not of the system. */
  public void reset() {
    for (String name : client().listDatabaseNames()) {
      if (!SYSTEM.contains(name)) {
        client().getDatabase(name).drop();
      }
    }
  }

  /** Begins to count what requests to a database cost, by whatever client. */
  public Spending count(MongoDatabase database) {
    String name = "testkit " + scopes.incrementAndGet();
    if (server.ledgers().open(name, new CostScope.OfDatabase(database.getName())) == null) {
      throw new IllegalStateException("too much is counted already");
    }
    return new Spending(this, name);
  }

  /** What was spent under that name, which is forgotten. */
  Costs end(String name) {
    Costs costs = server.ledgers().close(name);
    if (costs == null) {
      throw new IllegalStateException("it was ended before");
    }
    return costs;
  }

  /** Closes the client, lets requests in flight end, and removes the store. */
  @Override
  public synchronized void close() {
    if (client != null) {
      client.close();
    }
    server.close();
  }
}
