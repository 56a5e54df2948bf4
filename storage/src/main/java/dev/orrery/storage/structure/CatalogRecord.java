package dev.orrery.storage.structure;

import dev.orrery.storage.Change;
import dev.orrery.storage.catalog.Catalog;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.value.RawDocument;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** The payloads of CATALOG records: one document, whose single field says what changed. */
public final class CatalogRecord {
  static final String PUT_COLLECTION = "putCollection";
  public static final String DROP_COLLECTION = "dropCollection";
  static final String PUT_SETTING = "putSetting";
  static final String REMOVE_SETTING = "removeSetting";
  private static final String ANNOUNCE = "announce";

  /** Beside what changed: how it was before. Records of older versions lack it. */
  private static final String WAS = "was";

  private CatalogRecord() {}

  /**
   * @param was null when there was none
   */
  public static byte[] put(CollectionInfo info, @Nullable CollectionInfo was) {
    return encode(
        new BsonDocument(PUT_COLLECTION, info.toBson())
            .append(WAS, was == null ? BsonNull.VALUE : was.toBson()));
  }

  public static byte[] drop(CollectionInfo was) {
    return encode(
        new BsonDocument(DROP_COLLECTION, new BsonInt32(was.id())).append(WAS, was.toBson()));
  }

  public static byte[] announce(BsonDocument announcement) {
    return encode(new BsonDocument(ANNOUNCE, announcement));
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

  /** What followers of changes are told of a record; null when it is nothing. */
  public static @Nullable Change change(BsonDocument record) {
    String what = record.getFirstKey();
    return switch (what) {
      case PUT_COLLECTION ->
          record.containsKey(WAS)
              ? new Change.OfStructure(was(record), info(record.get(what)))
              : null;
      case DROP_COLLECTION ->
          record.containsKey(WAS) ? new Change.OfStructure(was(record), null) : null;
      case ANNOUNCE -> new Change.Announcement(record.getDocument(what));
      default -> null;
    };
  }

  private static @Nullable CollectionInfo was(BsonDocument record) {
    return info(record.get(WAS));
  }

  private static @Nullable CollectionInfo info(BsonValue value) {
    return value.isNull() ? null : CollectionInfo.fromBson(value.asDocument());
  }

  /** Makes the change that a record of the group with that LSN tells of. */
  public static void apply(Catalog catalog, BsonDocument change, long lsn) {
    String what = change.getFirstKey();
    switch (what) {
      case PUT_COLLECTION -> catalog.put(CollectionInfo.fromBson(change.getDocument(what)), lsn);
      case DROP_COLLECTION -> catalog.drop(change.getInt32(what).getValue(), lsn);
      case ANNOUNCE -> {} // it changes nothing
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
