package dev.orrery.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import com.mongodb.ConnectionString;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import java.util.ArrayList;
import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs the tests below, some of which are to fail. */
class OrreryExtensionTest {
  private static final String INNER = "orrery.inner";

  @Test
  void testsGetTheirOwnDatabasesAndFailWhenTheySpendTooMuch() {
    var listener = new SummaryGeneratingListener();
    System.setProperty(INNER, "true");
    try {
      LauncherFactory.create()
          .execute(
              LauncherDiscoveryRequestBuilder.request().selectors(selectClass(Inner.class)).build(),
              listener);
    } finally {
      System.clearProperty(INNER);
    }
    var failures = new ArrayList<String>();
    listener
        .getSummary()
        .getFailures()
        .forEach(
            failure ->
                failures.add(
                    failure.getTestIdentifier().getDisplayName()
                        + " "
                        + failure.getException().getMessage().lines().findFirst().orElse("")));
    assertThat(failures)
        .containsExactlyInAnyOrder(
            "spendsTooMuch(MongoDatabase) 1 requests cost 5.14 RU, more than 1.00; the dearest:");
    assertThat(listener.getSummary().getTestsSucceededCount()).isEqualTo(7);
  }

  @EnabledIfSystemProperty(named = INNER, matches = "true")
  @OrreryTest
  static final class Inner {
    private static final List<String> NAMES = new ArrayList<>();

    @BeforeEach
    void fill(MongoDatabase database) {
      database.getCollection("before").insertOne(new Document("_id", 1));
    }

    @Test
    void hasADatabase(MongoDatabase database, MongoClient client, ConnectionString uri) {
      see(database);
      assertThat(uri.getDatabase()).isEqualTo(database.getName());
      assertThat(client.getDatabase(uri.getDatabase()).getCollection("before").countDocuments())
          .isEqualTo(1);
    }

    @Test
    void hasAnotherDatabase(MongoDatabase database) {
      see(database);
    }

    private static void see(MongoDatabase database) {
      assertThat(NAMES).doesNotContain(database.getName());
      NAMES.add(database.getName());
      assertThat(database.listCollectionNames()).containsExactly("before");
    }

    @Test
    @MaxRequestUnits(6)
    void spendsLittle(MongoDatabase database) {
      database.getCollection("a").insertOne(new Document("_id", 1));
    }

    @Test
    @MaxRequestUnits(1)
    void spendsTooMuch(MongoDatabase database) {
      database.getCollection("a").insertOne(new Document("_id", 1));
    }

    @Test
    @Profile("cosmos")
    void isRefusedWhatCosmosRefuses(ConnectionString uri, MongoDatabase database) {
      assertThat(uri.getRetryWritesValue()).isFalse();
      assertThatThrownBy(() -> database.runCommand(Document.parse("{profile: 0}")))
          .isInstanceOf(MongoCommandException.class)
          .hasMessageContaining("Command profile not supported");
    }

    @Test
    @Throttled(times = 2, retryAfterMillis = 1)
    void getsOverRefusals(MongoDatabase database) {
      int refused = 0;
      for (boolean isDone = false; !isDone; ) {
        try {
          database.getCollection("a").insertOne(new Document("_id", 1));
          isDone = true;
        } catch (MongoException e) {
          assertThat(e.getCode()).isEqualTo(16500);
          refused++;
        }
      }
      assertThat(refused).isEqualTo(2);
    }

    @Test
    void isTheServerThatAllShare(Orrery server, MongoDatabase database) {
      assertThat(server.client().listDatabaseNames()).contains(database.getName());
    }

    @Test
    @SplitAt("64KB")
    void sharesItWithThoseWhoWantTheSame(Orrery server, MongoDatabase database) {
      server
          .client()
          .getDatabase("admin")
          .runCommand(
              Document.parse(
                  "{shardCollection: '" + database.getName() + ".s', key: {k: 'hashed'}}"));
      var documents = new ArrayList<Document>();
      for (int i = 0; i < 400; i++) {
        documents.add(new Document("_id", i).append("k", i).append("v", "-".repeat(500)));
      }
      database.getCollection("s").insertMany(documents);
      int partitions = 1;
      for (int i = 0; i < 200 && partitions < 2; i++) {
        Document reply = database.runCommand(Document.parse("{listPartitions: 's'}"));
        partitions = reply.getList("partitions", Document.class).size();
        pause();
      }
      assertThat(partitions).isGreaterThan(1);
    }

    private static void pause() {
      try {
        Thread.sleep(50);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
