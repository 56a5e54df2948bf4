package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.storage.IndexRange;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.catalog.IndexSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Planners ask for figures of indexes that others drop. */
final class IndexFiguresRaceTest {
  private static final String SPEC = "{key: {v: 1}, name: 'v_1'}";

  @TempDir Path directory;

  @Test
  void figuresOfADroppedIndexSayThatItWasDropped() throws Exception {
    var threads = Executors.newFixedThreadPool(3);
    try (var store = new EngineHarness(directory)) {
      store.create(null, SPEC);
      for (int i = 0; i < 2_000; i++) {
        store.insert(i);
      }
      IndexSpec index = IndexSpec.of(BsonDocument.parse(SPEC));
      PartitionStore partition = store.store().partitions().get(0);
      var readers = new ArrayList<Future<Integer>>();
      for (int i = 0; i < 3; i++) {
        readers.add(threads.submit(() -> read(partition, index)));
      }
      while (readers.stream().anyMatch(reader -> !reader.isDone())) {
        store.engine.dropIndex(store.store(), "v_1");
        store.createIndex(SPEC);
      }
      for (Future<Integer> reader : readers) {
        assertThat(reader.get()).isPositive(); // else nobody met a drop
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Returns how often the index was not there. */
  private static int read(PartitionStore partition, IndexSpec index) {
    int dropped = 0;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
    while (System.nanoTime() < end) {
      for (Runnable figure :
          List.<Runnable>of(
              () -> partition.estimate(index, IndexRange.all(false)),
              () -> partition.statistics(index))) {
        try {
          figure.run();
        } catch (StorageException e) {
          assertThat(e.reason()).isEqualTo(StorageException.Reason.INDEX_DROPPED);
          dropped++;
        }
      }
    }
    return dropped;
  }
}
