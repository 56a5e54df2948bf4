package dev.orrery.storage.postgres;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.IndexCursor;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.jspecify.annotations.Nullable;

/** One of the servers that share a database, with one collection. */
final class OneServer implements AutoCloseable {
  private static final Namespace THINGS = new Namespace("db", "things");

  final PostgresEngine engine;

  OneServer(String schema) {
    engine = PostgresEngine.open(TestPostgres.running().options(schema), new NoHooks());
  }

  /** For those who count questions. */
  void stopUpkeep() {
    engine.stopUpkeep();
  }

  CollectionStore create(@Nullable String partitionKey, int partitions) {
    return engine.create(
        THINGS,
        new CollectionInfo.Creation(
            new BsonDocument(),
            partitionKey,
            List.of(IndexSpec.idIndex()),
            partitions,
            new BsonDocument()));
  }

  CollectionStore things() {
    return engine.find(THINGS);
  }

  static RawDocument raw(String json) {
    return RawDocument.of(BsonDocument.parse(json));
  }

  List<WriteOutcome> commit(WriteBatch batch) {
    return Lane.await(engine.commit(batch, new WorkMeter())).outcomes();
  }

  WriteOutcome insert(String json) {
    return commit(WriteBatch.of(new WriteOperation.Insert(things(), raw(json)))).get(0);
  }

  @Nullable StoredDocument find(@Nullable RawValue key, int id) {
    byte[] primaryKey = things().primaryKey(key, RawValue.of(new BsonInt32(id)));
    return Lane.await(things().partitionOf(key).find(primaryKey, new WorkMeter()));
  }

  byte[] key(IndexSpec index, String json) {
    return engine.catalog().keys(index).of(raw(json)).get(0);
  }

  /** The ids of the documents that a range of an index has, in its order. */
  List<Integer> byIndex(IndexSpec index, IndexRange range) {
    var ids = new ArrayList<Integer>();
    for (PartitionStore partition : things().partitions()) {
      IndexCursor cursor = partition.scan(index, range);
      while (cursor.awaitNext(new WorkMeter())) {
        StoredDocument found = Lane.await(partition.read(cursor.recordId(), new WorkMeter()));
        ids.add(found.document().field("_id").asInt32());
      }
    }
    return ids;
  }

  @Override
  public void close() {
    engine.close();
  }
}
