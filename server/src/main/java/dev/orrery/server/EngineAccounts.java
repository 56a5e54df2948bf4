package dev.orrery.server;

import dev.orrery.server.auth.AccountStore;
import dev.orrery.storage.Receipt;
import dev.orrery.storage.StorageEngine;
import java.util.List;
import org.bson.BsonDocument;

/** Accounts among the settings of the storage engine. */
record EngineAccounts(StorageEngine engine) implements AccountStore {
  @Override
  public List<BsonDocument> load(String kind) {
    return engine.settings(kind);
  }

  @Override
  public Receipt save(String kind, BsonDocument document) {
    return engine.putSetting(kind, document);
  }

  @Override
  public Receipt remove(String kind, String id) {
    engine.removeSetting(kind, id);
    return engine.receipt();
  }
}
