package dev.orrery.storage.structure;

import dev.orrery.storage.catalog.Catalog;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.value.RawDocument;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** The payloads of CATALOG records: one document, whose single field says what changed. */
public final class CatalogRecord {
  static final String PUT_COLLECTION = "putCollection";
  public static final String DROP_COLLECTION = "dropCollection";
  static final String PUT_SETTING = "putSetting";
  static final String REMOVE_SETTING = "removeSetting";

  private CatalogRecord() {}

  public static byte[] put(CollectionInfo info) {
    return encode(new BsonDocument(PUT_COLLECTION, info.toBson()));
  }

  public static byte[] drop(int collection) {
    return encode(new BsonDocument(DROP_COLLECTION, new BsonInt32(collection)));
  }

  public static byte[] putSetting(String kind, BsonDocument document) {
    return encode(
        new BsonDocument(
            PUT_SETTING,
            new BsonDocument("kind", new BsonString(kind)).append("document", document)));
  }

  public static byte[] removeSetting(String kind, String id) {
    return encode(
        new BsonDocument(
            REMOVE_SETTING,
            new BsonDocument("kind", new BsonString(kind)).append("id", new BsonString(id))));
  }

  /** Makes the change that a record tells of. */
  public static void apply(Catalog catalog, BsonDocument change) {
    String what = change.getFirstKey();
    switch (what) {
      case PUT_COLLECTION -> catalog.put(CollectionInfo.fromBson(change.getDocument(what)));
      case DROP_COLLECTION -> catalog.drop(change.getInt32(what).getValue());
      case PUT_SETTING -> {
        var setting = change.getDocument(what);
        catalog.putSetting(setting.getString("kind").getValue(), setting.getDocument("document"));
      }
      case REMOVE_SETTING -> {
        var setting = change.getDocument(what);
        catalog.removeSetting(
            setting.getString("kind").getValue(), setting.getString("id").getValue());
      }
      default -> throw new IllegalStateException("unknown catalog record: " + what);
    }
  }

  private static byte[] encode(BsonDocument document) {
    return RawDocument.of(document).toByteArray();
  }
}
