package dev.orrery.storage.catalog;

import dev.orrery.value.Namespace;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.UuidRepresentation;
import org.jspecify.annotations.Nullable;

/**
 * What collections were called that have another name now or are gone, as long as the log has
 * records that name them by their number. Thread-safe.
 */
public final class PastCollections {
  private static final String TIME_SERIES = "timeSeries";

  /**
   * A collection under a name that it has no longer.
   *
   * @param until the LSN of the group that ended the name
   */
  public record Entry(
      long until,
      int id,
      Namespace namespace,
      UUID uuid,
      @Nullable String partitionKey,
      boolean isTimeSeries) {}

  private final NavigableMap<Long, List<Entry>> entries = new TreeMap<>();

  void add(long lsn, CollectionInfo info) {
    add(
        new Entry(
            lsn,
            info.id(),
            info.namespace(),
            info.uuid(),
            info.partitionKey(),
            info.isTimeSeries()));
  }

  private synchronized void add(Entry entry) {
    entries.computeIfAbsent(entry.until, absent -> new ArrayList<>()).add(entry);
  }

  /** What the collection was when that group was written; null if it is so still. */
  public synchronized @Nullable Entry find(int id, long lsn) {
    for (List<Entry> ended : entries.tailMap(lsn, true).values()) {
      for (Entry entry : ended) {
        if (entry.id == id) {
          return entry;
        }
      }
    }
    return null;
  }

  /**
   * Whether no collection lost that name since that group, nor had the one of that number another.
   */
  public synchronized boolean isSame(Namespace namespace, int id, long lsn) {
    return entries.tailMap(lsn, false).values().stream()
        .flatMap(List::stream)
        .noneMatch(entry -> entry.id == id || entry.namespace.equals(namespace));
  }

  /** Forgets what ended before the first group that can still be read. */
  public synchronized void forgetBefore(long lsn) {
    entries.headMap(lsn, false).clear();
  }

  synchronized BsonArray toBson() {
    var all = new BsonArray();
    for (List<Entry> ended : entries.values()) {
      for (Entry entry : ended) {
        var document =
            new BsonDocument("until", new BsonInt64(entry.until))
                .append("id", new BsonInt32(entry.id))
                .append("database", new BsonString(entry.namespace.database()))
                .append("collection", new BsonString(entry.namespace.collection()))
                .append("uuid", new BsonBinary(entry.uuid, UuidRepresentation.STANDARD));
        if (entry.partitionKey != null) {
          document.append("partitionKey", new BsonString(entry.partitionKey));
        }
        if (entry.isTimeSeries) {
          document.append(TIME_SERIES, BsonBoolean.TRUE);
        }
        all.add(document);
      }
    }
    return all;
  }

  void addAll(BsonArray saved) {
    for (BsonValue value : saved) {
      BsonDocument document = value.asDocument();
      BsonString key = document.getString("partitionKey", null);
      add(
          new Entry(
              document.getInt64("until").getValue(),
              document.getInt32("id").getValue(),
              new Namespace(
                  document.getString("database").getValue(),
                  document.getString("collection").getValue()),
              document.getBinary("uuid").asUuid(UuidRepresentation.STANDARD),
              key == null ? null : key.getValue(),
              document.containsKey(TIME_SERIES)));
    }
  }
}
