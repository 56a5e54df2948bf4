package dev.orrery.compat.soak;

import dev.orrery.compat.WireClient;
import java.io.IOException;
import java.util.Set;
import java.util.UUID;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/**
 * A client that outlives servers. Whoever calls learns from an {@link IOException} that the server
 * went away and nobody knows what became of the request; the next one goes to the next server.
 */
final class SoakClient implements AutoCloseable {
  private static final int INTERNAL_ERROR = 1;

  /** Answers of a server that is about to end. */
  private static final Set<Integer> STOPPING = Set.of(91, 11600);

  private static final int SHOWN_CHARACTERS_MAX = 300;

  private final SoakRun run;
  private final String database;
  private final BsonDocument session = new BsonDocument("id", new BsonBinary(UUID.randomUUID()));
  private WireClient connection;
  private SoakServer server;

  SoakClient(SoakRun run, String database) {
    this.run = run;
    this.database = database;
  }

  /** A session of this client's own, for writes that may have to be sent again. */
  BsonDocument session() {
    return session;
  }

  /** The same for cursors, which end whenever all rest. */
  BsonDocument cursorSession() {
    run.endsAtRest(session);
    return session;
  }

  BsonDocument command(String json) throws IOException {
    return command(BsonDocument.parse(json));
  }

  /** The reply, whatever it says; a mistake of the server's own ends the run. */
  BsonDocument command(BsonDocument command) throws IOException {
    return send(command, true);
  }

  /** The same for a request that may take its time. */
  BsonDocument patiently(String json) throws IOException {
    return send(BsonDocument.parse(json), false);
  }

  private BsonDocument send(BsonDocument command, boolean isWatched) throws IOException {
    if (!command.containsKey("$db")) {
      command.append("$db", new BsonString(database));
    }
    String shown = shown(command);
    connect();
    try {
      if (isWatched) {
        run.begins(this, server, shown);
      }
      connection.waitMillis(run.replyMillisMax());
      BsonDocument reply = connection.command(command);
      int code = reply.getNumber("code", new BsonInt32(0)).intValue();
      if (code == INTERNAL_ERROR) {
        run.fail("InternalError: " + shown + " got " + reply.toJson());
      }
      if (STOPPING.contains(code)) {
        throw new IOException("the server stops: " + code);
      }
      return reply;
    } catch (IOException e) {
      run.ends(this);
      close();
      run.requireGone(server, shown, e);
      throw e;
    } finally {
      run.ends(this);
    }
  }

  private void connect() throws IOException {
    while (connection == null) {
      server = run.awaitServer();
      try {
        connection = new WireClient(server.port());
      } catch (IOException e) {
        run.requireGone(server, "connect", e);
      }
    }
  }

  /** The reply, which must be a good one. */
  BsonDocument must(String json) throws IOException {
    return must(BsonDocument.parse(json));
  }

  BsonDocument must(BsonDocument command) throws IOException {
    BsonDocument reply = command(command);
    if (!isOk(reply) || reply.containsKey("writeErrors")) {
      run.fail(shown(command) + " got " + reply.toJson());
      throw new IOException("the run is over");
    }
    return reply;
  }

  static boolean isOk(BsonDocument reply) {
    return reply.getNumber("ok").intValue() == 1;
  }

  private static String shown(BsonDocument command) {
    String text = command.toString();
    return text.substring(0, Math.min(SHOWN_CHARACTERS_MAX, text.length()));
  }

  @Override
  public void close() {
    if (connection != null) {
      try {
        connection.close();
      } catch (IOException e) {
        run.log("closing failed: " + e);
      }
      connection = null;
    }
  }
}
