package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoSocketException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import java.io.IOException;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Failures of production on demand, as a driver sees them. */
final class FaultsTest {
  private static TestServer server;
  private static MongoClient client;
  private static MongoDatabase shop;
  private static MongoDatabase admin;
  private static MongoCollection<Document> orders;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start("--test-commands");
    client = server.client("", "retryWrites=false&retryReads=false");
    shop = client.getDatabase("shop");
    admin = client.getDatabase("admin");
    orders = shop.getCollection("orders");
  }

  @AfterAll
  static void stop() {
    client.close();
    server.close();
  }

  @BeforeEach
  void fill() {
    orders.drop();
    orders.insertOne(new Document("_id", 0));
  }

  @AfterEach
  void clear() {
    admin.runCommand(new Document("clearFaults", 1));
  }

  @Test
  void theNextRequestsOfACollectionAreThrottled() {
    inject("{injectFault: 'busy', collection: 'orders', times: 2, millis: 37}");
    shop.getCollection("carts").countDocuments();
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> orders.insertOne(new Document()))
          .isInstanceOf(MongoException.class)
          .hasMessageContaining("RetryAfterMs=37")
          .extracting(failure -> ((MongoException) failure).getCode())
          .isEqualTo(16500);
    }
    orders.insertOne(new Document("_id", 1));
    assertThat(orders.countDocuments()).isEqualTo(2);
    assertThat(admin.runCommand(new Document("clearFaults", "busy")).get("struck"))
        .isEqualTo(new Document("busy", 2L));
  }

  @Test
  void aShareIsTheSameForTheSameSeed() {
    String first = struck("{injectFault: 'some', commands: ['find'], share: 0.3, seed: 7}");
    assertThat(first).contains("x").contains(".");
    assertThat(struck("{injectFault: 'some', commands: ['find'], share: 0.3, seed: 7}"))
        .isEqualTo(first);
    assertThat(struck("{injectFault: 'some', commands: ['find'], share: 0.3, seed: 8}"))
        .isNotEqualTo(first);
  }

  private static String struck(String fault) {
    inject(fault);
    var pattern = new StringBuilder();
    for (int i = 0; i < 40; i++) {
      try {
        orders.find().first();
        pattern.append('.');
      } catch (MongoCommandException refused) {
        pattern.append('x');
      }
    }
    return pattern.toString();
  }

  @Test
  void aConnectionIsClosedBeforeOrAfterTheWrite() {
    inject("{injectFault: 'gone', fault: 'closeBefore', commands: ['insert'], times: 1}");
    assertThatThrownBy(() -> orders.insertOne(new Document("_id", 1)))
        .isInstanceOf(MongoSocketException.class);
    assertThat(orders.countDocuments()).isEqualTo(1);
    inject("{injectFault: 'gone', fault: 'closeAfter', commands: ['insert'], times: 1}");
    assertThatThrownBy(() -> orders.insertOne(new Document("_id", 1)))
        .isInstanceOf(MongoSocketException.class);
    assertThat(orders.countDocuments()).isEqualTo(2);
  }

  @Test
  void retryableWritesGetOverAClosedConnection() {
    try (MongoClient retrying = server.client("", "retryWrites=true")) {
      inject("{injectFault: 'gone', fault: 'closeAfter', commands: ['insert'], times: 1}");
      retrying.getDatabase("shop").getCollection("orders").insertOne(new Document("_id", 1));
      assertThat(orders.countDocuments()).isEqualTo(2);
    }
  }

  @Test
  void aReplyIsDelayed() {
    inject("{injectFault: 'slow', fault: 'delay', database: 'shop', times: 1, millis: 300}");
    client.getDatabase("other").getCollection("a").countDocuments();
    long start = System.nanoTime();
    orders.find().first();
    assertThat((System.nanoTime() - start) / 1_000_000).isGreaterThanOrEqualTo(300);
  }

  @Test
  void whatMakesNoSenseIsRefused() throws IOException {
    for (String wrong :
        new String[] {
          "{injectFault: 'a', share: 2}",
          "{injectFault: 'a', commands: ['hello']}",
          "{injectFault: 'a', fault: 'explode'}",
          "{injectFault: 'a', millis: -1}",
          "{injectFault: ''}",
          "{clearFaults: 'none'}"
        }) {
      assertThatThrownBy(() -> inject(wrong)).as(wrong).isInstanceOf(MongoCommandException.class);
    }
    try (TestServer plain = TestServer.start("--ephemeral");
        MongoClient other = plain.client("", "")) {
      assertThatThrownBy(
              () -> other.getDatabase("admin").runCommand(Document.parse("{injectFault: 'a'}")))
          .hasMessageContaining("no such command: 'injectFault'");
    }
  }

  private static void inject(String command) {
    admin.runCommand(Document.parse(command));
  }
}
