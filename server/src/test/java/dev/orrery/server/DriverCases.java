package dev.orrery.server;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import java.io.IOException;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/**
 * A server with fail points, and a driver whose commands are seen: the ground of cases that follow
 * the specifications of MongoDB's drivers.
 */
abstract class DriverCases {
  static final SentCommands SENT = new SentCommands();
  static TestServer server;
  static MongoClient client;
  private static MongoClient quiet;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start("--test-commands", "--ephemeral");
    client = watched("");
    quiet = server.client("", "");
  }

  @AfterAll
  static void stop() {
    quiet.close();
    client.close();
    server.close();
  }

  /** A client whose commands are recorded. */
  static MongoClient watched(String options) {
    return MongoClients.create(
        MongoClientSettings.builder()
            .applyConnectionString(
                new ConnectionString(
                    "mongodb://127.0.0.1:%d/?uuidRepresentation=standard&%s"
                        .formatted(server.port(), options)))
            .addCommandListener(SENT)
            .build());
  }

  @BeforeEach
  void fill() {
    quiet.getDatabase("test").drop();
    quiet.getDatabase("test").getCollection("c").insertOne(new Document("_id", 0).append("v", 0));
    SENT.clear();
  }

  @AfterEach
  void switchOff() {
    failing("'off'", "{}");
  }

  static MongoCollection<Document> c() {
    return client.getDatabase("test").getCollection("c");
  }

  /** How many documents there are, asked without being recorded. */
  static long stored() {
    return quiet.getDatabase("test").getCollection("c").countDocuments();
  }

  static void failing(String mode, String data) {
    quiet
        .getDatabase("admin")
        .runCommand(
            Document.parse(
                "{configureFailPoint: 'failCommand', mode: %s, data: %s}".formatted(mode, data)));
  }

  static void failOnce(String command, String how) {
    failing("{times: 1}", "{failCommands: ['%s'], %s}".formatted(command, how));
  }
}
