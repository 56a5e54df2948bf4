package dev.orrery.storage.chronicle;

import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.value.RawDocument;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** The payloads of CATALOG records: one document, whose single field says what changed. */
final class CatalogRecord {
  static final String PUT_COLLECTION = "putCollection";
  static final String DROP_COLLECTION = "dropCollection";
  static final String PUT_SETTING = "putSetting";
  static final String REMOVE_SETTING = "removeSetting";

  private CatalogRecord() {}

  static byte[] put(CollectionInfo info) {
    return encode(new BsonDocument(PUT_COLLECTION, info.toBson()));
  }

  static byte[] drop(int collection) {
    return encode(new BsonDocument(DROP_COLLECTION, new BsonInt32(collection)));
  }

  static byte[] putSetting(String kind, BsonDocument document) {
    return encode(
        new BsonDocument(
            PUT_SETTING,
            new BsonDocument("kind", new BsonString(kind)).append("document", document)));
  }

  static byte[] removeSetting(String kind, String id) {
    return encode(
        new BsonDocument(
            REMOVE_SETTING,
            new BsonDocument("kind", new BsonString(kind)).append("id", new BsonString(id))));
  }

  private static byte[] encode(BsonDocument document) {
    return RawDocument.of(document).toByteArray();
  }
}
