package dev.orrery.benchmarks.transaction;

import dev.orrery.lane.Lane;
import dev.orrery.server.store.QueryHooks;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.View;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.engine.ChronicleEngine;
import dev.orrery.storage.engine.EngineOptions;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;

/**
 * The heap that open snapshots keep, by the size of the data and by what changed since: it must
 * grow with the second and not with the first.
 */
final class SnapshotMemory {
  private static final int[] DOCUMENTS = {10_000, 100_000};
  private static final int[] CHANGES = {0, 2_000, 20_000};
  private static final int DOCUMENT_BYTES = 1000;
  private static final int BATCH_DOCUMENTS = 1000;
  private static final int COLLECTIONS_OF_GARBAGE = 3;
  private static final double KILOBYTE = 1 << 10;

  private final int snapshots;
  private int next;

  SnapshotMemory(int snapshots) {
    this.snapshots = snapshots;
  }

  void run() throws IOException {
    System.out.println(
        "| documents of 1 kB | open snapshots | changed since | more heap, kB | each change, bytes |");
    System.out.println("|---|---|---|---|---|");
    for (int documents : DOCUMENTS) {
      for (int changes : CHANGES) {
        measure(documents, changes);
      }
    }
  }

  private void measure(int documents, int changes) throws IOException {
    Path directory = Files.createTempDirectory("orrery-snapshots");
    try (var engine = ChronicleEngine.open(directory, EngineOptions.defaults(), new QueryHooks())) {
      CollectionStore collection = fill(engine, documents);
      change(engine, collection, documents, changes); // what changes cost without snapshots
      long before = heapBytes();
      var open = new ArrayList<View>();
      int each = Math.max(1, changes / snapshots);
      for (int i = 0; i < snapshots; i++) { // spread, so that each snapshot sees something else
        open.add(engine.pin(0));
        change(engine, collection, documents, i * each < changes ? each : 0);
      }
      long more = heapBytes() - before;
      System.out.printf(
          Locale.ROOT,
          "| %,d | %,d | %,d | %,.0f | %s |%n",
          documents,
          open.size(),
          changes,
          more / KILOBYTE,
          changes == 0 ? "" : String.format(Locale.ROOT, "%,d", more / changes));
      open.forEach(View::close);
    } finally {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private static CollectionStore fill(ChronicleEngine engine, int documents) {
    CollectionStore collection =
        engine.create(
            new Namespace("benchmark", "small"),
            new CollectionInfo.Creation(
                new BsonDocument(),
                null,
                List.of(
                    IndexSpec.idIndex(),
                    IndexSpec.of(BsonDocument.parse("{v: 2, key: {a: 1}, name: 'a_1'}"))),
                1,
                new BsonDocument()));
    for (int id = 0; id < documents; id += BATCH_DOCUMENTS) {
      var batch = new ArrayList<WriteOperation>();
      for (int i = id; i < id + BATCH_DOCUMENTS; i++) {
        batch.add(new WriteOperation.Insert(collection, document(i, i)));
      }
      commit(engine, batch);
    }
    return collection;
  }

  /** Changes so many documents, and their index keys. */
  private void change(
      ChronicleEngine engine, CollectionStore collection, int documents, int count) {
    for (int i = 0; i < count; i++) {
      int id = next++ % documents;
      byte[] key = collection.primaryKey(null, RawValue.of(new BsonInt32(id)));
      StoredDocument found = Lane.await(collection.partitionOf(null).find(key, new WorkMeter()));
      commit(engine, List.of(new WriteOperation.Replace(collection, found, document(id, next))));
    }
  }

  private static void commit(ChronicleEngine engine, List<WriteOperation> operations) {
    var batch = new WriteBatch(operations, WriteBatch.OnFailure.STOP);
    var result = Lane.await(engine.commit(batch, new WorkMeter()));
    if (!result.outcomes().stream().allMatch(one -> one.isApplied())) {
      throw new IllegalStateException(result.toString());
    }
  }

  private static RawDocument document(int id, int value) {
    return RawDocument.of(
        new BsonDocument("_id", new BsonInt32(id))
            .append("a", new BsonInt64(value))
            .append("x", new BsonBinary(new byte[DOCUMENT_BYTES])));
  }

  private static long heapBytes() {
    for (int i = 0; i < COLLECTIONS_OF_GARBAGE; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
