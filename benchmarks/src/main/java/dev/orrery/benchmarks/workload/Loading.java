package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.client.CommandConnection;
import dev.orrery.benchmarks.servers.Target;
import java.io.IOException;
import java.util.List;
import java.util.function.LongFunction;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/** Fills collections before anything is measured. */
public final class Loading {
  public static final String DATABASE = "orrery_benchmark";
  private static final int BATCH = 1000;

  private Loading() {}

  static void dropDatabase(Target target) throws IOException {
    target.run(DATABASE, new BsonDocument("dropDatabase", new BsonInt32(1)));
  }

  public static void insert(
      Target target, String collection, int count, LongFunction<BsonDocument> source)
      throws IOException {
    try (var connection = new CommandConnection(target.address())) {
      for (long first = 0; first < count; first += BATCH) {
        var documents = new BsonArray();
        for (long i = first; i < Math.min(count, first + BATCH); i++) {
          documents.add(source.apply(i));
        }
        connection.run(
            DATABASE,
            new BsonDocument("insert", new BsonString(collection)).append("documents", documents));
      }
    }
  }

  static void delete(Target target, String collection, BsonArray ids) throws IOException {
    var filter = new BsonDocument("_id", new BsonDocument("$in", ids));
    var delete = new BsonDocument("q", filter).append("limit", new BsonInt32(0));
    target.run(
        DATABASE,
        new BsonDocument("delete", new BsonString(collection))
            .append("deletes", new BsonArray(List.of(delete))));
  }

  /** An ascending index on one field. */
  static void index(Target target, String collection, String field) throws IOException {
    index(target, collection, field, new BsonInt32(1));
  }

  /** An index of any kind on one field. */
  public static void index(Target target, String collection, String field, BsonValue kind)
      throws IOException {
    var index =
        new BsonDocument("key", new BsonDocument(field, kind))
            .append("name", new BsonString(field + "_1"));
    target.run(
        DATABASE,
        new BsonDocument("createIndexes", new BsonString(collection))
            .append("indexes", new BsonArray(List.of(index))));
  }

  /** A find that needs no second batch. */
  static BsonDocument find(String collection, BsonDocument filter, int limit) {
    return new BsonDocument("find", new BsonString(collection))
        .append("filter", filter)
        .append("limit", new BsonInt32(limit))
        .append("singleBatch", BsonBoolean.TRUE);
  }
}
