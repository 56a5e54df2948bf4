package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;

/** Asserts that two servers hold the same: collections, options, indexes, and every document. */
final class ServerComparison {
  private final MongoClient expected;
  private final MongoClient actual;

  ServerComparison(MongoClient expected, MongoClient actual) {
    this.expected = expected;
    this.actual = actual;
  }

  /** Compares a database; returns the number of documents that are equal. */
  long assertSame(String database) {
    Map<String, BsonDocument> collections = collections(expected, database);
    assertThat(collections(actual, database)).isEqualTo(collections);
    return collections.keySet().stream().mapToLong(name -> assertSame(database, name)).sum();
  }

  /** Compares a collection or view; returns the number of documents that are equal. */
  long assertSame(String database, String name) {
    BsonDocument collection = collections(expected, database).get(name);
    assertThat(collections(actual, database).get(name)).isEqualTo(collection);
    if (!collection.getString("type").getValue().equals("view")) {
      assertThat(indexes(actual, database, name)).isEqualTo(indexes(expected, database, name));
    }
    boolean isCapped = collection.getDocument("options").containsKey("capped");
    return assertSameDocuments(database, name, isCapped);
  }

  /** By name; without the id, which is new for a new collection. */
  private static Map<String, BsonDocument> collections(MongoClient client, String database) {
    var found = new TreeMap<String, BsonDocument>();
    for (BsonDocument listed : client.getDatabase(database).listCollections(BsonDocument.class)) {
      listed.getDocument("info").remove("uuid");
      found.put(listed.getString("name").getValue(), listed);
    }
    return found;
  }

  private static List<BsonDocument> indexes(MongoClient client, String database, String name) {
    return client
        .getDatabase(database)
        .getCollection(name)
        .listIndexes(BsonDocument.class)
        .into(new ArrayList<>());
  }

  private long assertSameDocuments(String database, String name, boolean isCapped) {
    long count = 0;
    try (var left = cursor(expected, database, name, isCapped);
        var right = cursor(actual, database, name, isCapped)) {
      while (left.hasNext()) {
        assertThat(right.hasNext()).as("%s.%s after %d", database, name, count).isTrue();
        RawBsonDocument document = left.next();
        RawBsonDocument other = right.next();
        if (!document.getByteBuffer().asNIO().equals(other.getByteBuffer().asNIO())) {
          assertThat(other).isEqualTo(document);
        }
        count++;
      }
      assertThat(right.hasNext()).isFalse();
    }
    return count;
  }

  private static MongoCursor<RawBsonDocument> cursor(
      MongoClient client, String database, String name, boolean isCapped) {
    MongoCollection<RawBsonDocument> collection =
        client.getDatabase(database).getCollection(name, RawBsonDocument.class);
    String order = isCapped ? "{$natural: 1}" : "{_id: 1}";
    return collection.find().sort(BsonDocument.parse(order)).batchSize(10_000).iterator();
  }
}
