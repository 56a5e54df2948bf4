package dev.orrery.server.command;

import java.time.Clock;
import java.util.List;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * What a server knows about itself when it starts.
 *
 * @param version of Orrery
 * @param advertisedHost {@code host:port} for clients to connect to, {@link #NO_HOST}, or null for
 *     the address that each of them reached
 * @param arguments the command line
 * @param options what came of it
 * @param setName the replica set that clients see
 * @param region of Cosmos DB where the server says it is, or null
 */
public record ServerFacts(
    String version,
    String advertisedHost,
    int connectionsMax,
    List<String> arguments,
    BsonDocument options,
    Clock clock,
    long startMillis,
    String setName,
    @Nullable String region) {
  /** The release of MongoDB that Orrery answers like. */
  public static final String MONGODB_VERSION = "7.0.15";

  /** The replica set that Cosmos DB connection strings name, and ours if nobody says otherwise. */
  public static final String SET_NAME = "globaldb";

  /** Clients are told of no address, and stay with the one that they have. */
  public static final String NO_HOST = "none";

  public static ServerFacts starting(String version, int connectionsMax, Clock clock) {
    return new ServerFacts(
        version,
        null,
        connectionsMax,
        List.of(),
        new BsonDocument(),
        clock,
        clock.millis(),
        SET_NAME,
        null);
  }

  public ServerFacts withAdvertisedHost(String host) {
    return new ServerFacts(
        version, host, connectionsMax, arguments, options, clock, startMillis, setName, region);
  }

  public ServerFacts withCommandLine(List<String> arguments, BsonDocument options) {
    return new ServerFacts(
        version,
        advertisedHost,
        connectionsMax,
        arguments,
        options,
        clock,
        startMillis,
        setName,
        region);
  }

  public ServerFacts withSetName(String name) {
    return new ServerFacts(
        version,
        advertisedHost,
        connectionsMax,
        arguments,
        options,
        clock,
        startMillis,
        name,
        region);
  }

  public ServerFacts withRegion(@Nullable String name) {
    return new ServerFacts(
        version,
        advertisedHost,
        connectionsMax,
        arguments,
        options,
        clock,
        startMillis,
        setName,
        name);
  }

  /** Where the client of that connection finds this server. */
  public String hostFor(ClientConnection connection) {
    boolean isNamed = advertisedHost != null && !namesNoHost();
    return isNamed ? advertisedHost : connection.localAddress();
  }

  /** Whether it shall seem to be a router, as those tell clients of no addresses. */
  public boolean namesNoHost() {
    return NO_HOST.equals(advertisedHost);
  }

  public long uptimeMillis() {
    return clock.millis() - startMillis;
  }
}
