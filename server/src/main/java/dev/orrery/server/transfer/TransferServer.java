package dev.orrery.server.transfer;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import dev.orrery.server.transfer.source.TransferException;
import dev.orrery.server.transfer.source.UsageException;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** The server at the other end: a client that is connected, and what it says of itself. */
final class TransferServer implements AutoCloseable {
  private static final int SELECTION_SECONDS = 10;

  private final MongoClient client;
  private final BsonDocument buildInfo;

  private TransferServer(MongoClient client, BsonDocument buildInfo) {
    this.client = client;
    this.buildInfo = buildInfo;
  }

  /** Connects, or says clearly why not. */
  static TransferServer connect(String uri, String application) throws TransferException {
    ConnectionString connection;
    try {
      connection = new ConnectionString(uri);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--uri is no connection string: " + e.getMessage());
    }
    var settings = MongoClientSettings.builder().applicationName(application);
    settings.applyToClusterSettings(
        cluster -> cluster.serverSelectionTimeout(SELECTION_SECONDS, TimeUnit.SECONDS));
    MongoClient client = MongoClients.create(settings.applyConnectionString(connection).build());
    try {
      var ask = new BsonDocument("buildInfo", new BsonInt32(1));
      return new TransferServer(
          client, client.getDatabase("admin").runCommand(ask, BsonDocument.class));
    } catch (MongoException e) {
      client.close();
      throw new TransferException(
          "There is no answer from %s: %s. Is the server running, and are user, password and tls in --uri right?"
              .formatted(String.join(", ", connection.getHosts()), ServerWords.of(e)),
          e);
    }
  }

  MongoClient client() {
    return client;
  }

  String version() {
    return buildInfo.getString("version", new BsonString("7.0.0")).getValue();
  }

  @Override
  public void close() {
    client.close();
  }
}
