package dev.orrery.server.transfer.export;

import com.mongodb.ClientSessionOptions;
import com.mongodb.MongoClientException;
import com.mongodb.MongoCommandException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import dev.orrery.value.Namespace;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * The one point at which a whole export reads, however long it takes and whatever is written
 * meanwhile.
 */
public final class ExportSnapshot implements AutoCloseable {
  /** A server may forget a point that nobody asks for; MongoDB does after five minutes. */
  private static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** Matches nothing, and is found out without reading. */
  private static final BsonDocument NOTHING =
      new BsonDocument("_id", new BsonDocument("$in", new BsonArray()));

  private final MongoClient client;
  private final @Nullable ClientSession session;
  private long askedNanos = System.nanoTime();

  private ExportSnapshot(MongoClient client, @Nullable ClientSession session) {
    this.client = client;
    this.session = session;
  }

  /** Reads each collection as it is when its turn comes. */
  public static ExportSnapshot none(MongoClient client) {
    return new ExportSnapshot(client, null);
  }

  /**
   * The present state of the server, found by a first look at one of its collections.
   *
   * @return null when the server has no such thing
   */
  public static @Nullable ExportSnapshot open(MongoClient client, Namespace first) {
    ClientSession session =
        client.startSession(ClientSessionOptions.builder().snapshot(true).build());
    var snapshot = new ExportSnapshot(client, session);
    try {
      snapshot.ask(first);
      return snapshot;
    } catch (MongoCommandException | MongoClientException refused) {
      session.close();
      return null;
    }
  }

  /** Null when there is none. */
  @Nullable ClientSession session() {
    return session;
  }

  /** Keeps the server from forgetting the point; to be called now and then. */
  void keep(Namespace namespace) {
    if (session != null && System.nanoTime() - askedNanos > ASK_NANOS) {
      ask(namespace);
    }
  }

  private void ask(Namespace namespace) {
    client
        .getDatabase(namespace.database())
        .getCollection(namespace.collection(), RawBsonDocument.class)
        .find(session, NOTHING)
        .projection(new BsonDocument("_id", new BsonInt32(1)))
        .first();
    askedNanos = System.nanoTime();
  }

  @Override
  public void close() {
    if (session != null) {
      session.close();
    }
  }
}
