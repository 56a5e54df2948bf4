package dev.orrery.benchmarks.store;

import dev.orrery.lane.Lane;
import dev.orrery.server.store.QueryHooks;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.Receipt;
import dev.orrery.storage.StoredDocument;
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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt64;

/** The embedded engine. An update and a delete read the document first, as every command does. */
final class OrreryStore implements Store {
  private final ChronicleEngine engine;
  private final CollectionStore collection;

  OrreryStore(Path directory) {
    engine = ChronicleEngine.open(directory, EngineOptions.defaults(), new QueryHooks());
    collection =
        engine.create(
            new Namespace("benchmark", "documents"),
            new CollectionInfo.Creation(
                new BsonDocument(), null, List.of(IndexSpec.idIndex()), 1, new BsonDocument()));
  }

  @Override
  public void insert(long id, byte[] document) {
    commit(new WriteOperation.Insert(collection, RawDocument.wrap(document)));
  }

  @Override
  public void insertAll(long firstId, byte[][] documents) {
    var batch = new ArrayList<WriteOperation>(documents.length);
    for (byte[] document : documents) {
      batch.add(new WriteOperation.Insert(collection, RawDocument.wrap(document)));
    }
    Lane.await(engine.commit(new WriteBatch(batch, WriteBatch.OnFailure.STOP), new WorkMeter()));
  }

  @Override
  public void insertDurably(long id, byte[] document) {
    var insert = new WriteOperation.Insert(collection, RawDocument.wrap(document));
    Lane.await(commit(insert).whenDurable());
  }

  private Receipt commit(WriteOperation operation) {
    var result = Lane.await(engine.commit(WriteBatch.of(operation), new WorkMeter()));
    if (!result.outcomes().get(0).isApplied()) {
      throw new IllegalStateException(result.toString());
    }
    return result.receipt();
  }

  private StoredDocument find(long id) {
    byte[] key = collection.primaryKey(null, RawValue.of(new BsonInt64(id)));
    return Lane.await(collection.partitionOf(null).find(key, new WorkMeter()));
  }

  @Override
  public byte[] read(long id) {
    StoredDocument found = find(id);
    return found == null ? null : found.document().bytes();
  }

  @Override
  public void update(long id, byte[] document) {
    commit(new WriteOperation.Replace(collection, find(id), RawDocument.wrap(document)));
  }

  @Override
  public void delete(long id) {
    commit(new WriteOperation.Delete(collection, find(id)));
  }

  @Override
  public void close() {
    engine.close();
  }
}
