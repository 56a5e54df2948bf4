package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.RawDocument;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An empty collection gets a partition key: no insert at the same time is lost. */
final class ReplaceEmptyTest {
  private static final CollectionInfo.Creation SHARDED =
      new CollectionInfo.Creation(
          new BsonDocument(), "p", List.of(IndexSpec.idIndex()), 4, new BsonDocument());

  @TempDir Path directory;

  @Test
  void anEmptyCollectionIsReplacedAndAFilledOneIsNot() {
    try (var harness = new EngineHarness(directory.resolve("store"))) {
      CollectionStore old = harness.create(null);
      CollectionStore replaced = harness.engine.replaceEmpty(old, SHARDED);
      assertThat(replaced.partitions()).hasSize(4);
      assertThat(harness.store()).isSameAs(replaced);
      assertThat(old.exists()).isFalse();
      assertThat(harness.engine.replaceEmpty(old, SHARDED)).isNull();
      harness.insert(1);
      assertThat(harness.engine.replaceEmpty(replaced, SHARDED)).isNull();
      harness.crash();
      assertThat(harness.store().info().partitionKey()).isEqualTo("p");
      assertThat(harness.contents()).hasSize(1);
    }
  }

  @Test
  void everyAcknowledgedInsertIsThereAfterwards() {
    try (var harness = new EngineHarness(directory.resolve("store"))) {
      for (int round = 0; round < 30; round++) {
        CollectionStore old = harness.create(null);
        var start = new CountDownLatch(1);
        var acknowledged = new AtomicInteger();
        var writer = CompletableFuture.runAsync(() -> insert(harness, start, acknowledged));
        start.countDown();
        harness.engine.replaceEmpty(old, SHARDED);
        writer.join(); // at no moment was there no collection
        assertThat(harness.contents()).hasSize(acknowledged.get());
        harness.engine.drop(harness.store());
      }
    }
  }

  private static void insert(
      EngineHarness harness, CountDownLatch start, AtomicInteger acknowledged) {
    try {
      start.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    for (int id = 0; id < 20; id++) {
      var document = RawDocument.of(new BsonDocument("_id", new BsonInt32(id)));
      var insert = new WriteOperation.Insert(harness.store(), document);
      var result = Lane.await(harness.engine.commit(WriteBatch.of(insert), new WorkMeter()));
      acknowledged.addAndGet(result.outcomes().get(0).isApplied() ? 1 : 0);
    }
  }
}
