package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.log.LogOptions;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AutomaticSplitsTest {
  private static final int LIMIT = 64 << 10;

  @TempDir Path directory;
  private ChronicleEngine engine;
  private CollectionStore collection;

  @AfterEach
  void close() {
    engine.close();
  }

  private void open(int logicalLimit) {
    var options =
        EngineOptions.defaults()
            .with(LogOptions.defaults().withFsync(false))
            .with(new EngineOptions.Limits(logicalLimit, LIMIT));
    engine = ChronicleEngine.open(directory, options, new NoHooks());
    collection =
        engine.create(
            new Namespace("db", "c"),
            new CollectionInfo.Creation(
                new BsonDocument(), "p", List.of(IndexSpec.idIndex()), 1, new BsonDocument()));
  }

  private WriteOutcome insert(int id, String key) {
    var document =
        new BsonDocument("_id", new BsonInt32(id))
            .append("p", new BsonString(key))
            .append("x", new BsonString("x".repeat(900)));
    var operation = new WriteOperation.Insert(collection, RawDocument.of(document));
    return Lane.await(engine.commit(WriteBatch.of(operation), new WorkMeter())).outcomes().get(0);
  }

  @Test
  void aPartitionBeyondItsLimitIsSplitUntilAllAreSmallAgain() throws InterruptedException {
    open(1 << 30);
    for (int i = 0; i < 500; i++) {
      assertThat(insert(i, "key" + i % 100).isApplied()).isTrue();
    }
    Instant end = Instant.now().plus(Duration.ofMinutes(1));
    while (largest() > LIMIT && Instant.now().isBefore(end)) {
      Thread.sleep(20);
    }

    assertThat(largest()).isLessThanOrEqualTo(LIMIT);
    assertThat(collection.partitions()).hasSizeGreaterThan(7);
    assertThat(collection.partitions().stream().mapToLong(p -> p.statistics().documents()).sum())
        .isEqualTo(500);
    assertThat(engine.validate(collection)).isEmpty();
  }

  private long largest() {
    return collection.partitions().stream()
        .map(PartitionStore::statistics)
        .mapToLong(statistics -> statistics.bytes())
        .max()
        .orElse(0);
  }

  @Test
  void onePartitionKeyIsNeverSplitAndRefusesWritesAtItsLimit() {
    open(2 * LIMIT);
    int written = 0;
    while (insert(written, "only").isApplied()) {
      written++;
    }

    assertThat(insert(written, "only").status()).isEqualTo(WriteOutcome.Status.PARTITION_KEY_FULL);
    assertThat(insert(written, "another").isApplied()).isTrue();
    assertThat(collection.partitions().get(0).statistics().documents()).isPositive();
    assertThat(engine.validate(collection)).isEmpty();
  }
}
