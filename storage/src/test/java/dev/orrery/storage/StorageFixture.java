package dev.orrery.storage;

import dev.orrery.lane.Lane;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** An engine with one collection, opened as the engine's own tests say. */
abstract class StorageFixture {
  protected static final Namespace NAMESPACE = new Namespace("db", "things");

  @TempDir protected Path directory;
  protected StorageEngine engine;

  protected abstract StorageEngine open(Path directory);

  @BeforeEach
  void openEngine() {
    engine = open(directory);
  }

  @AfterEach
  void closeEngine() {
    engine.close();
  }

  protected void reopen() {
    engine.close();
    engine = open(directory);
  }

  protected CollectionStore create(String partitionKey, int partitions) {
    return engine.create(
        NAMESPACE,
        new CollectionInfo.Creation(
            new BsonDocument(),
            partitionKey,
            List.of(IndexSpec.idIndex()),
            partitions,
            new BsonDocument()));
  }

  protected CollectionStore things() {
    return engine.find(NAMESPACE);
  }

  protected WriteOutcome insert(String json) {
    return commit(new WriteOperation.Insert(things(), raw(json)));
  }

  protected WriteOutcome commit(WriteOperation operation) {
    return Lane.await(engine.commit(WriteBatch.of(operation), new WorkMeter())).outcomes().get(0);
  }

  protected static RawDocument raw(String json) {
    return RawDocument.of(BsonDocument.parse(json));
  }

  protected StoredDocument find(int id) {
    return find(null, id);
  }

  protected StoredDocument find(String partitionKey, int id) {
    RawValue key = partitionKey == null ? null : RawValue.of(new BsonString(partitionKey));
    var store = things();
    byte[] primaryKey = store.primaryKey(key, RawValue.of(new BsonInt32(id)));
    return Lane.await(store.partitionOf(key).find(primaryKey, new WorkMeter()));
  }

  protected static List<BsonDocument> scan(CollectionStore collection) {
    var documents = new ArrayList<BsonDocument>();
    for (PartitionStore partition : collection.partitions()) {
      var cursor = partition.scan(false);
      var meter = new WorkMeter();
      for (var one = cursor.awaitNext(meter); one != null; one = cursor.awaitNext(meter)) {
        documents.add(one.document().toBsonDocument());
      }
    }
    return documents;
  }

  protected static List<Integer> idsByIndex(CollectionStore collection, String index) {
    var ids = new ArrayList<Integer>();
    IndexSpec spec = collection.info().index(index).spec();
    for (PartitionStore partition : collection.partitions()) {
      var cursor = partition.scan(spec, IndexRange.all(false));
      var meter = new WorkMeter();
      while (cursor.awaitNext(meter)) {
        ids.add(
            Lane.await(partition.read(cursor.recordId(), meter)).document().field("_id").asInt32());
      }
    }
    return ids;
  }
}
