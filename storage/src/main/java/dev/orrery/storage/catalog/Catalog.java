package dev.orrery.storage.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * The descriptions of all collections and the settings documents, in memory. It is rebuilt at start
 * from the last checkpoint and the log; whoever changes it has written the log record before. Not
 * thread-safe: the engine guards it.
 */
public final class Catalog {
  private final SortedMap<Integer, CollectionInfo> collections = new TreeMap<>();
  private final SortedMap<String, SortedMap<String, BsonDocument>> settings = new TreeMap<>();
  private final PastCollections past = new PastCollections();
  private int nextCollectionId = 1;

  /** The number that the next collection gets. */
  public int nextCollectionId() {
    return nextCollectionId;
  }

  public List<CollectionInfo> collections() {
    return List.copyOf(collections.values());
  }

  /** What collections were called before; may be asked by any thread. */
  public PastCollections past() {
    return past;
  }

  /** The description of that collection, or null. */
  public @Nullable CollectionInfo find(int id) {
    return collections.get(id);
  }

  /**
   * @param lsn of the record that says so
   */
  public void put(CollectionInfo info, long lsn) {
    CollectionInfo before = collections.get(info.id());
    if (before != null && !before.namespace().equals(info.namespace())) {
      past.add(lsn, before);
    }
    put(info);
  }

  private void put(CollectionInfo info) {
    collections.put(info.id(), info);
    nextCollectionId = Math.max(nextCollectionId, info.id() + 1);
  }

  public void drop(int id, long lsn) {
    CollectionInfo gone = collections.remove(id);
    if (gone != null) {
      past.add(lsn, gone);
    }
  }

  public List<BsonDocument> settings(String kind) {
    var documents = settings.get(kind);
    return documents == null ? List.of() : new ArrayList<>(documents.values());
  }

  /** Stores a document under its {@code _id}, which must be a string. */
  public void putSetting(String kind, BsonDocument document) {
    String id = document.getString("_id").getValue();
    settings.computeIfAbsent(kind, absent -> new TreeMap<>()).put(id, document);
  }

  public boolean hasSetting(String kind, String id) {
    return settings.containsKey(kind) && settings.get(kind).containsKey(id);
  }

  public boolean removeSetting(String kind, String id) {
    var documents = settings.get(kind);
    return documents != null && documents.remove(id) != null;
  }

  public BsonDocument toBson() {
    var infos = new BsonArray();
    collections.values().forEach(info -> infos.add(info.toBson()));
    var kinds = new BsonArray();
    settings.forEach(
        (kind, documents) ->
            kinds.add(
                new BsonDocument("kind", new BsonString(kind))
                    .append("documents", new BsonArray(List.copyOf(documents.values())))));
    return new BsonDocument("nextCollectionId", new BsonInt32(nextCollectionId))
        .append("collections", infos)
        .append("settings", kinds)
        .append("past", past.toBson());
  }

  public static Catalog fromBson(BsonDocument document) {
    var catalog = new Catalog();
    for (BsonValue info : document.getArray("collections")) {
      catalog.put(CollectionInfo.fromBson(info.asDocument()));
    }
    for (BsonValue kind : document.getArray("settings")) {
      String name = kind.asDocument().getString("kind").getValue();
      for (BsonValue setting : kind.asDocument().getArray("documents")) {
        catalog.putSetting(name, setting.asDocument());
      }
    }
    catalog.past.addAll(document.getArray("past", new BsonArray()));
    // A number is never reused, also when the newest collection was dropped.
    catalog.nextCollectionId = document.getInt32("nextCollectionId").getValue();
    return catalog;
  }
}
