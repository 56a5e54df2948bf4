package dev.orrery.benchmarks.servers;

import dev.orrery.benchmarks.client.CommandConnection;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * A running server that is measured.
 *
 * @param process null for one that the harness did not start
 * @param data where it keeps its files; null if nowhere, or not known
 */
public record Target(
    Kind kind,
    String name,
    InetSocketAddress address,
    @Nullable ServerProcess process,
    @Nullable Path data) {

  /** Runs one command on a connection of its own. */
  public BsonDocument run(String database, BsonDocument command) throws IOException {
    try (var connection = new CommandConnection(address)) {
      return connection.run(database, command);
    }
  }

  /** The size of the reply to a command. */
  int replyBytes(String database, BsonDocument command) throws IOException {
    try (var connection = new CommandConnection(address)) {
      return connection.replyBytes(database, command);
    }
  }

  public boolean isOurs() {
    return kind == Kind.ORRERY;
  }

  /** Whether it has partitions: ours, or another build of it. */
  public boolean isOrrery() {
    return kind == Kind.ORRERY || kind == Kind.BEFORE;
  }
}
