package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients write to the real server, which is killed again and again on the same data. What was
 * acknowledged is there after each restart, and of an insert of several documents all or none.
 *
 * <p>{@code -Dcrash.rounds=200} makes it longer, {@code -Dcrash.seed=...} repeats the moments.
 */
final class CrashTest {
  private static final int ROUNDS = Integer.getInteger("crash.rounds", 20);
  private static final long SEED = Long.getLong("crash.seed", System.nanoTime());
  private static final int CONNECTIONS = 8;
  private static final int BURST_MILLIS_MIN = 100;
  private static final int BURST_MILLIS_RANGE = 700;

  @TempDir Path directory;

  @Test
  void everyAcknowledgedWriteSurvivesEveryKill() throws Exception {
    var random = new Random(SEED);
    var writers = new ArrayList<CrashWriter>();
    for (int i = 0; i < CONNECTIONS; i++) {
      writers.add(new CrashWriter(i, random.nextLong()));
    }
    for (int round = 1; round <= ROUNDS; round++) {
      try (var server = PackagedServer.on(directory)) {
        verify(server, writers, "seed " + SEED + ", start " + round);
        writeUntilKilled(server, writers, random);
      }
    }
    assertThat(writers).allSatisfy(writer -> assertThat(writer.acknowledged()).isNotEmpty());
    PackagedServer.Ended check = PackagedServer.run("check", "--data", directory.toString());
    assertThat(check.exitCode()).as(check.output()).isZero();
    try (var server = PackagedServer.on(directory)) {
      verify(server, writers, "seed " + SEED + ", the last start");
    }
  }

  private static void writeUntilKilled(
      PackagedServer server, List<CrashWriter> writers, Random random) throws Exception {
    var pool = Executors.newFixedThreadPool(writers.size());
    var running = new ArrayList<Future<?>>();
    for (CrashWriter writer : writers) {
      running.add(pool.submit(() -> writer.writeUntilCutOff(server.port())));
    }
    Thread.sleep(BURST_MILLIS_MIN + random.nextInt(BURST_MILLIS_RANGE));
    server.kill();
    for (Future<?> one : running) {
      one.get(1, TimeUnit.MINUTES);
    }
    pool.shutdown();
  }

  private static void verify(PackagedServer server, List<CrashWriter> writers, String when)
      throws IOException {
    Map<String, Integer> found = readAll(server);
    int expected = 0;
    for (CrashWriter writer : writers) {
      writer.verify(found, when);
      expected += writer.acknowledged().size();
    }
    assertThat(found).as(when).hasSize(expected);
  }

  /** Every document: its id, and its value. */
  private static Map<String, Integer> readAll(PackagedServer server) throws IOException {
    var all = new HashMap<String, Integer>();
    try (var client = new WireClient(server.port())) {
      BsonDocument reply = client.command(CrashWriter.command("{find: 'docs', batchSize: 5000}"));
      assertThat(reply.getNumber("ok").intValue()).as(reply.toJson()).isEqualTo(1);
      addAll(reply.getDocument("cursor").getArray("firstBatch"), all);
      long cursor = reply.getDocument("cursor").getInt64("id").getValue();
      while (cursor != 0) {
        reply =
            client.command(
                CrashWriter.command(
                    "{getMore: {$numberLong: '%d'}, collection: 'docs', batchSize: 5000}"
                        .formatted(cursor)));
        addAll(reply.getDocument("cursor").getArray("nextBatch"), all);
        cursor = reply.getDocument("cursor").getInt64("id").getValue();
      }
    }
    return all;
  }

  private static void addAll(List<BsonValue> batch, Map<String, Integer> all) {
    for (BsonValue one : batch) {
      BsonDocument document = one.asDocument();
      String id = document.getString("_id").getValue();
      assertThat(all.put(id, document.getInt32("n").getValue())).as(id).isNull();
    }
  }
}
