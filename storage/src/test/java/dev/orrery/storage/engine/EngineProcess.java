package dev.orrery.storage.engine;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.log.LogOptions;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/**
 * A process that changes documents until it is killed, while checkpoints, compactions and splits go
 * on all the time. Before each change it prints {@code T <id> <value>}, and {@code A <id>} when the
 * change is durable; the value of a deleted document is 0.
 */
final class EngineProcess {
  static final Namespace NAMESPACE = new Namespace("db", "killed");
  static final int WRITERS = 4;
  private static final int IDS_PER_WRITER = 150;

  private EngineProcess() {}

  static ChronicleEngine open(Path directory) {
    var options =
        EngineOptions.defaults()
            .with(LogOptions.defaults().withSegmentBytes(64 << 10))
            .with(new EngineOptions.Limits(1 << 30, 100 << 10))
            .with(new EngineOptions.Checkpoints(16 << 10, 200))
            .with(new EngineOptions.Compacting(0))
            .with(EngineHarness.SMALL_MAPS);
    return ChronicleEngine.open(directory, options, new NoHooks());
  }

  public static void main(String[] arguments) {
    ChronicleEngine engine = open(Path.of(arguments[0]));
    if (engine.find(NAMESPACE) == null) {
      engine.create(
          NAMESPACE,
          new CollectionInfo.Creation(
              new BsonDocument(), "p", List.of(IndexSpec.idIndex()), 1, new BsonDocument()));
      var spec = IndexSpec.of(BsonDocument.parse("{key: {v: 1}, name: 'v_1'}"));
      engine.createIndexes(engine.find(NAMESPACE), List.of(spec));
    }
    long seed = Long.parseLong(arguments[1]);
    for (int i = 0; i < WRITERS; i++) {
      int writer = i;
      new Thread(() -> write(engine, writer, new Random(seed + writer))).start();
    }
  }

  private static void write(ChronicleEngine engine, int writer, Random random) {
    CollectionStore store = engine.find(NAMESPACE);
    while (true) {
      int id = writer * IDS_PER_WRITER + random.nextInt(IDS_PER_WRITER);
      StoredDocument before = find(store, id);
      boolean isDelete = before != null && random.nextInt(4) == 0;
      int value = isDelete ? 0 : 1 + random.nextInt(1_000_000);
      System.out.println("T " + id + " " + value);
      change(engine, id, value);
      System.out.println("A " + id);
    }
  }

  private static void change(ChronicleEngine engine, int id, int value) {
    while (true) {
      CollectionStore store = engine.find(NAMESPACE);
      StoredDocument before = find(store, id);
      WriteOperation operation;
      if (value == 0) {
        operation = new WriteOperation.Delete(store, before);
      } else if (before == null) {
        operation = new WriteOperation.Insert(store, document(id, value));
      } else {
        operation = new WriteOperation.Replace(store, before, document(id, value));
      }
      var result = Lane.await(engine.commit(WriteBatch.of(operation), new WorkMeter()));
      if (result.outcomes().get(0).isApplied()) {
        Lane.await(result.receipt().whenDurable());
        return;
      }
    }
  }

  private static RawDocument document(int id, int value) {
    return RawDocument.of(
        new BsonDocument("_id", new BsonInt32(id))
            .append("p", new BsonString("key" + id))
            .append("v", new BsonInt32(value))
            .append("x", new BsonString("x".repeat(value % 1_000))));
  }

  private static StoredDocument find(CollectionStore store, int id) {
    RawValue key = RawValue.of(new BsonString("key" + id));
    byte[] primaryKey = store.primaryKey(key, RawValue.of(new BsonInt32(id)));
    return Lane.await(store.partitionOf(key).find(primaryKey, new WorkMeter()));
  }
}
