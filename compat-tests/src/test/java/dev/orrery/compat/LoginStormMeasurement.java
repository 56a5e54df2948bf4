package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * How much 200 failed logins a second slow another client of the packaged server down. Prints what
 * share of a processor they take of the server, and the ratio of the other client's reads with and
 * without them. The latter also has what the guessing client takes of the same machine, and the
 * other client never waits, so it is the worst that can be seen. Run with {@code
 * -Dlogin.storm=SECONDS} on a quiet machine.
 */
@EnabledIfSystemProperty(named = "login.storm", matches = "\\d+")
final class LoginStormMeasurement {
  private static final int SECONDS = Integer.getInteger("login.storm", 5);
  private static final int LOGINS_PER_SECOND = 200;
  private static final int GUESSERS = 20;
  private static final String ROOT =
      "{createUser: 'root', pwd: 'secret', roles: ['root'], $db: 'admin'}";

  private final AtomicInteger failures = new AtomicInteger();

  @Test
  void failedLoginsSlowNobodyElse() throws Exception {
    try (var server = PackagedServer.ephemeral("--auth")) {
      try (var client = new WireClient(server.port())) {
        client.command(BsonDocument.parse(ROOT));
      }
      readsPerSecond(server); // warms up
      double calm = readsPerSecond(server);
      ScheduledExecutorService guessers = Executors.newScheduledThreadPool(GUESSERS);
      long every = TimeUnit.SECONDS.toMicros(1) / LOGINS_PER_SECOND;
      guessers.scheduleAtFixedRate(
          () -> guessers.execute(() -> guess(server.port())), 0, every, TimeUnit.MICROSECONDS);
      double share = shareOfProcessor(server);
      int before = failures.get();
      double stormy = readsPerSecond(server);
      int during = failures.get() - before;
      guessers.shutdownNow();
      System.out.printf(
          "%.1f %% of a processor; %.0f reads/s alone, %.0f during %d failed logins/s: %.0f %%%n",
          100 * share, calm, stormy, during / SECONDS, 100 * stormy / calm);
      assertThat(during).isPositive();
    }
  }

  /** What the server does while nobody but the guessers asks it. */
  private static double shareOfProcessor(PackagedServer server) throws Exception {
    ProcessHandle process = ProcessHandle.of(server.pid()).orElseThrow();
    Duration before = process.info().totalCpuDuration().orElseThrow();
    Thread.sleep(TimeUnit.SECONDS.toMillis(SECONDS));
    Duration spent = process.info().totalCpuDuration().orElseThrow().minus(before);
    return (double) spent.toNanos() / TimeUnit.SECONDS.toNanos(SECONDS);
  }

  /** Pings of a client without a login cost what any short command costs. */
  private static double readsPerSecond(PackagedServer server) throws IOException {
    BsonDocument ping = BsonDocument.parse("{ping: 1, $db: 'admin'}");
    long reads = 0;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    try (var client = new WireClient(server.port())) {
      while (System.nanoTime() < end) {
        client.command(ping);
        reads++;
      }
    }
    return (double) reads / SECONDS;
  }

  private void guess(int port) {
    String user = "guesser" + failures.incrementAndGet();
    try (var client = new WireClient(port)) {
      BsonDocument first =
          client.command(
              BsonDocument.parse("{saslStart: 1, mechanism: 'SCRAM-SHA-256', $db: 'admin'}")
                  .append("payload", payload("n,,n=" + user + ",r=abcdefghijklmnopqrstuvwx")));
      String challenge = new String(first.getBinary("payload").getData(), StandardCharsets.UTF_8);
      String nonce = challenge.substring(0, challenge.indexOf(','));
      String proof = Base64.getEncoder().encodeToString(new byte[32]);
      client.command(
          BsonDocument.parse("{saslContinue: 1, $db: 'admin'}")
              .append("conversationId", first.get("conversationId"))
              .append("payload", payload("c=biws," + nonce + ",p=" + proof)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static BsonBinary payload(String text) {
    return new BsonBinary(text.getBytes(StandardCharsets.UTF_8));
  }
}
