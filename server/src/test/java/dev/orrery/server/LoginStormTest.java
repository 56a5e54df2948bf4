package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoSecurityException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.bson.Document;
import org.junit.jupiter.api.Test;

/** Many logins that fail at once. */
class LoginStormTest {
  private static final int GUESSERS = 4;
  private static final int GUESSES = 5;

  @Test
  void whoIsLoggedInIsAnsweredDuringAStormOfFailedLogins()
      throws IOException, InterruptedException, ExecutionException {
    var guessers = Executors.newFixedThreadPool(GUESSERS);
    try (TestServer server = TestServer.start("--auth")) {
      server.createRoot();
      try (MongoClient client = server.client("root:secret@", "")) {
        MongoCollection<Document> collection = client.getDatabase("d").getCollection("c");
        collection.insertOne(new Document("_id", 1));
        List<Future<Integer>> storm = new ArrayList<>();
        for (int i = 0; i < GUESSERS; i++) {
          String user = "guesser" + i;
          storm.add(guessers.submit(() -> guess(server, user)));
        }
        int answers = 0;
        while (storm.stream().anyMatch(each -> !each.isDone())) {
          assertThat(collection.find().first()).isNotNull();
          answers++;
        }
        int failures = 0;
        for (Future<Integer> each : storm) {
          failures += each.get();
        }
        assertThat(failures).isEqualTo(GUESSERS * GUESSES);
        // Each failure is held back, so a client who is not has many turns meanwhile.
        assertThat(answers).isGreaterThan(GUESSES);
      }
    } finally {
      guessers.shutdownNow();
    }
  }

  private static int guess(TestServer server, String user) {
    int failures = 0;
    for (int i = 0; i < GUESSES; i++) {
      try (MongoClient client = server.client(user + ":wrong@", "authMechanism=SCRAM-SHA-1")) {
        client.getDatabase("d").getCollection("c").find().first();
      } catch (MongoSecurityException expected) {
        failures++;
      }
    }
    return failures;
  }
}
