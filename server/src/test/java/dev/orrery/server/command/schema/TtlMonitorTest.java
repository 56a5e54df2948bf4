package dev.orrery.server.command.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.EngineFixture;
import dev.orrery.server.command.ServerParameters;
import dev.orrery.server.expiry.Expiry;
import dev.orrery.server.store.TestEngines;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.WriteOperation;
import dev.orrery.value.RawDocument;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TtlMonitorTest {
  private static final int ROUNDS_MAX = TestEngines.isUnkind() ? 50 : 1;
  private static final Instant NOW = Instant.parse("2026-01-01T00:01:00Z");

  @TempDir Path directory;
  private EngineFixture fixture;
  private TtlMonitor monitor;

  @BeforeEach
  void open() {
    fixture = new EngineFixture(directory);
    monitor =
        new TtlMonitor(
            fixture.engine,
            new ServerParameters(),
            new Expiry(Clock.fixed(NOW, ZoneOffset.UTC), false));
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private static String at(int id, String time) {
    return "{_id: %d, t: {$date: '%s'}}".formatted(id, time);
  }

  private void index(String key, String more) {
    fixture.run("{createIndexes: 'c', indexes: [{key: %s, name: 'n', %s}]}".formatted(key, more));
  }

  /** What goes in as many rounds as it takes: an engine may say to look at a document again. */
  private long expire(long wanted) {
    long deleted = 0;
    for (int round = 0; round < ROUNDS_MAX && deleted < wanted; round++) {
      deleted += monitor.runOnce();
    }
    return deleted;
  }

  @Test
  void onlyDocumentsWhoseDateIsOldEnoughGo() {
    fixture.insert("c", at(1, "2026-01-01T00:00:49Z"), at(2, "2026-01-01T00:00:51Z"));
    fixture.insert("c", "{_id: 3}", "{_id: 4, t: 'text'}", "{_id: 5, t: 1}", "{_id: 6, t: null}");
    index("{t: 1}", "expireAfterSeconds: 10");
    assertThat(expire(1)).isEqualTo(1);
    assertThat(fixture.count("c")).isEqualTo(5);
    assertThat(monitor.runOnce()).isZero();
  }

  @Test
  void theOldestDateOfAnArrayCounts() {
    fixture.insert(
        "c",
        "{_id: 1, t: [{$date: '2027-01-01T00:00:00Z'}, {$date: '2025-01-01T00:00:00Z'}]}",
        "{_id: 2, t: [{$date: '2027-01-01T00:00:00Z'}]}");
    index("{t: -1}", "expireAfterSeconds: 0");
    assertThat(expire(1)).isEqualTo(1);
    assertThat(fixture.count("c")).isEqualTo(1);
  }

  @Test
  void aPartialIndexExpiresOnlyItsOwnDocuments() {
    fixture.insert(
        "c",
        "{_id: 1, x: 1, t: {$date: '2025-01-01T00:00:00Z'}}",
        "{_id: 2, t: {$date: '2025-01-01T00:00:00Z'}}");
    index("{t: 1}", "expireAfterSeconds: 0, partialFilterExpression: {x: 1}");
    assertThat(expire(1)).isEqualTo(1);
  }

  @Test
  void manyExpiredDocumentsGoInSeveralCommits() {
    for (int i = 0; i < 450; i++) {
      fixture.insert("c", at(i, "2025-01-01T00:00:00Z"));
    }
    index("{t: -1}", "expireAfterSeconds: 1");
    assertThat(expire(450)).isEqualTo(450);
    assertThat(fixture.count("c")).isZero();
  }

  @Test
  void measurementsOfATimeSeriesExpireByTheirTimeField() {
    fixture.run("{create: 's', timeseries: {timeField: 't'}, expireAfterSeconds: 60}");
    fixture.insert("s", at(1, "2025-01-01T00:00:00Z"), at(2, "2026-01-01T00:00:30Z"));
    assertThat(expire(1)).isEqualTo(1);
  }

  @Test
  @Tag("embedded") // where so many documents go in a moment
  void otherClientsGoOnWhileManyDocumentsExpire() throws InterruptedException {
    int old = Integer.getInteger("orrery.large", 50_000);
    CollectionStore collection = fixture.databases.findOrCreate("db", "c");
    index("{t: 1}", "expireAfterSeconds: 10");
    var batch = new ArrayList<WriteOperation>();
    for (int i = 0; i < old; i++) {
      var document = BsonDocument.parse(at(i, "2025-12-31T00:00:00Z"));
      batch.add(new WriteOperation.Insert(collection, RawDocument.of(document)));
      if (batch.size() == 1_000 || i == old - 1) {
        TestEngines.commit(fixture.engine, batch);
        batch.clear();
      }
    }
    var worker = new Thread(monitor::runOnce);
    worker.start();
    int written = 0;
    int interleaved = 0;
    do {
      fixture.insert("c", at(old + written++, "2026-01-01T00:01:00Z"));
      long left = fixture.count("c") - written;
      interleaved += left > 0 && left < old ? 1 : 0;
    } while (worker.isAlive());
    worker.join();
    assertThat(interleaved).isPositive(); // it neither waits for others nor makes them wait
    while (monitor.runOnce() > 0) { // what compaction moved meanwhile is left to the next round
      Thread.onSpinWait();
    }
    assertThat(fixture.count("c")).isEqualTo(written);
  }
}
