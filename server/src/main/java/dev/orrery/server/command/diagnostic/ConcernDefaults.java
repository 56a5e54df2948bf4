package dev.orrery.server.command.diagnostic;

import dev.orrery.storage.Receipt;
import dev.orrery.storage.StorageEngine;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/**
 * The concerns of reads and writes that ask for none, as {@code setDefaultRWConcern} left them. One
 * server keeps all data, so those that can be chosen differ in nothing but their name.
 */
public final class ConcernDefaults {
  static final BsonDocument READ = new BsonDocument("level", new BsonString("local"));
  static final BsonDocument WRITE =
      new BsonDocument("w", new BsonString("majority")).append("wtimeout", new BsonInt32(0));

  private static final String KIND = "concerns";
  private static final BsonString ID = new BsonString("ReadWriteConcernDefaults");

  /** Where they outlive the server. */
  interface Store {
    List<BsonDocument> load();

    Receipt save(BsonDocument document);
  }

  private final Store store;
  private volatile BsonDocument given;

  private ConcernDefaults(Store store) {
    this.store = store;
    List<BsonDocument> found = store.load();
    this.given = found.isEmpty() ? new BsonDocument() : found.get(0);
  }

  /** Among the settings of an engine. */
  public static ConcernDefaults of(StorageEngine engine) {
    return new ConcernDefaults(
        new Store() {
          @Override
          public List<BsonDocument> load() {
            return engine.settings(KIND);
          }

          @Override
          public Receipt save(BsonDocument document) {
            return engine.putSetting(KIND, document);
          }
        });
  }

  /** For a server that keeps nothing. */
  public static ConcernDefaults passing() {
    return new ConcernDefaults(
        new Store() {
          @Override
          public List<BsonDocument> load() {
            return List.of();
          }

          @Override
          public Receipt save(BsonDocument document) {
            return Receipt.NONE;
          }
        });
  }

  /** What was set, with the time of the change; empty when nothing was. */
  BsonDocument given() {
    return given;
  }

  synchronized Receipt change(BsonDocument to) {
    var document = new BsonDocument("_id", ID);
    to.forEach(document::put);
    Receipt receipt = store.save(document);
    given = document;
    return receipt;
  }
}
