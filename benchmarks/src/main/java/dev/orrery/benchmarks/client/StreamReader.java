package dev.orrery.benchmarks.client;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;

/** A change stream on one collection, read by a blocking connection of its own. */
public final class StreamReader implements Closeable {
  private static final int AWAIT_MILLIS = 1000;

  private final CommandConnection connection;
  private final String database;
  private final BsonDocument more;
  private BsonArray first;

  /**
   * @param stages the pipeline, which begins with the stream
   */
  public StreamReader(
      InetSocketAddress server, String database, String collection, BsonArray stages)
      throws IOException {
    this.connection = new CommandConnection(server);
    this.database = database;
    BsonDocument cursor =
        connection
            .run(
                database,
                new BsonDocument("aggregate", new BsonString(collection))
                    .append("pipeline", stages)
                    .append("cursor", new BsonDocument()))
            .getDocument("cursor");
    this.first = cursor.getArray("firstBatch");
    this.more =
        new BsonDocument("getMore", new BsonInt64(cursor.getNumber("id").longValue()))
            .append("collection", new BsonString(collection))
            .append("maxTimeMS", new BsonInt32(AWAIT_MILLIS));
  }

  /** The next events; empty when none came for a second. */
  public BsonArray next() throws IOException {
    BsonArray batch = first;
    first = null;
    return batch != null && !batch.isEmpty()
        ? batch
        : connection.run(database, more).getDocument("cursor").getArray("nextBatch");
  }

  /** Takes the next events without a look at them. */
  public void pass() throws IOException {
    connection.replyBytes(database, more);
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }
}
