package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Validation in the midst of writes, which a filter of a partial index lets in. */
final class ValidationTest {
  private static final int DOCUMENTS = 5_000;
  private static final int CHANGES = 600;

  @TempDir Path root;

  private final FilterHooks filters = new FilterHooks();

  private EngineHarness open() {
    var store = new EngineHarness(root.resolve("store"), EngineHarness.quiet(), filters);
    store.create("k", "{key: {v: 1}, name: 'v', partialFilterExpression: {v: 1}}");
    store.createIndex("{key: {w: 1}, name: 'w', unique: true}");
    for (int i = 0; i < DOCUMENTS; i++) {
      store.insert(document(i, i));
    }
    return store;
  }

  private static BsonDocument document(int id, int value) {
    return new BsonDocument("_id", new BsonInt32(id))
        .append("k", new BsonInt32(id % 7))
        .append("v", new BsonInt32(value))
        .append("w", new BsonInt32(value));
  }

  private static StoredDocument find(EngineHarness store, int id) {
    RawValue partitionKey = RawValue.of(new BsonInt32(id % 7));
    byte[] key = store.store().primaryKey(partitionKey, RawValue.of(new BsonInt32(id)));
    return Lane.await(store.partition().find(key, new WorkMeter()));
  }

  private static void commit(EngineHarness store, WriteOperation operation) {
    var result = Lane.await(store.engine.commit(WriteBatch.of(operation), new WorkMeter()));
    assertThat(result.outcomes().get(0).isApplied()).isTrue();
  }

  @Test
  void writesGoOnAndAreCounted() throws Exception {
    try (var store = open()) {
      var failures = new ArrayList<Throwable>();
      var done = new AtomicInteger();
      var doneBeforeTheEnd = new AtomicInteger();
      var writer =
          new Thread(
              () -> {
                for (; done.get() < CHANGES; done.incrementAndGet()) {
                  change(store, done.get());
                }
              });
      writer.setUncaughtExceptionHandler((thread, failure) -> failures.add(failure));
      var seen = new AtomicInteger();
      filters.whenAsked =
          () -> {
            if (Thread.currentThread() == writer) {
              return;
            }
            if (seen.incrementAndGet() == 300) { // in the second page, under the lock
              writer.start();
              while (!store.partition().lock.hasQueuedThread(writer)) {
                Thread.onSpinWait();
              }
            }
            doneBeforeTheEnd.set(done.get());
          };
      assertThat(store.engine.validate(store.store())).isEmpty();
      writer.join();
      assertThat(failures).isEmpty();
      assertThat(doneBeforeTheEnd.get()).isPositive();
      filters.whenAsked = () -> {};
      assertThat(store.engine.validate(store.store())).isEmpty();
    }
  }

  /** Among the records that were passed, those to come, and new ones. */
  private static void change(EngineHarness store, int i) {
    switch (i % 4) {
      case 0 -> store.insert(document(DOCUMENTS + i, DOCUMENTS + i));
      case 1 -> commit(store, new WriteOperation.Delete(store.store(), find(store, i)));
      case 2 -> commit(store, new WriteOperation.Delete(store.store(), find(store, DOCUMENTS - i)));
      default -> {
        var after = RawDocument.of(document(i, 2 * DOCUMENTS + i));
        commit(store, new WriteOperation.Replace(store.store(), find(store, i), after));
      }
    }
  }

  @Test
  void aLostEntryIsFound() {
    try (var store = open()) {
      var files = store.partition().files();
      var index = files.require(store.store().info().index("v").spec());
      var cursor = index.cursor(IndexRange.all(false));
      assertThat(cursor.next()).isTrue();
      index.tree().remove(cursor.key(), cursor.recordId());
      assertThat(store.engine.validate(store.store()))
          .anyMatch(fault -> fault.contains("missing in index v"))
          .anyMatch(fault -> fault.contains("entries of index v"));
    }
  }
}
