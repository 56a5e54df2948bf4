package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client counts with retryable writes while the real server is killed again and again, and sends
 * the write that it had no answer to once more after each start. Each counts once.
 *
 * <p>{@code -Dcrash.rounds=100} makes it longer, {@code -Dcrash.seed=...} repeats the moments.
 */
final class RetryAfterCrashTest {
  private static final int ROUNDS = Math.max(3, Integer.getInteger("crash.rounds", 20) / 4);
  private static final long SEED = Long.getLong("crash.seed", System.nanoTime());
  private static final int BURST_MILLIS_MAX = 300;

  @TempDir Path directory;

  private long sent;

  @Test
  void everyWriteCountsOnceHoweverOftenTheServerIsKilled() throws Exception {
    var random = new Random(SEED);
    var killer = Executors.newSingleThreadScheduledExecutor();
    try {
      for (int round = 1; round <= ROUNDS; round++) {
        try (var server = PackagedServer.on(directory)) {
          if (sent > 0) {
            try (var client = new WireClient(server.port())) {
              increment(client); // again: whether it was done is not known
              BsonDocument image = answerOfLast(client);
              assertThat(image.getNumber("n").longValue()).as("seed " + SEED).isEqualTo(sent);
            }
          }
          int millis = 20 + random.nextInt(BURST_MILLIS_MAX);
          killer.schedule(server::kill, millis, TimeUnit.MILLISECONDS);
          incrementUntilCutOff(server.port());
          server.kill();
        }
      }
    } finally {
      killer.shutdownNow();
    }
    try (var server = PackagedServer.on(directory);
        var client = new WireClient(server.port())) {
      increment(client);
      assertThat(count(client)).as("seed " + SEED).isEqualTo(sent);
    }
    assertThat(sent).isGreaterThan(ROUNDS);
  }

  private void incrementUntilCutOff(int port) {
    try (var client = new WireClient(port)) {
      for (; ; ) {
        sent++;
        increment(client);
      }
    } catch (IOException cutOff) {
      // the server was killed
    }
  }

  /** The write of the present number. */
  private void increment(WireClient client) throws IOException {
    BsonDocument reply = client.command(command("u: {$inc: {n: 1}}, upsert: true", sent));
    assertThat(reply.getNumber("n").intValue()).as(reply.toJson()).isEqualTo(1);
  }

  private BsonDocument answerOfLast(WireClient client) throws IOException {
    String find = "{find: 'c', filter: {_id: 1}, $db: 'test'}";
    BsonDocument reply = client.command(BsonDocument.parse(find));
    return reply.getDocument("cursor").getArray("firstBatch").get(0).asDocument();
  }

  private long count(WireClient client) throws IOException {
    return answerOfLast(client).getNumber("n").longValue();
  }

  private static BsonDocument command(String change, long number) {
    return BsonDocument.parse(
        """
        {update: 'c', updates: [{q: {_id: 1}, %s}], $db: 'test',
          lsid: {id: {$binary: {base64: 'AAECAwQFBgcICQoLDA0ODw==', subType: '04'}}},
          txnNumber: {$numberLong: '%d'}}
        """
            .formatted(change, number));
  }
}
