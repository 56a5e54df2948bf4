package dev.orrery.server.command.schema;

import dev.orrery.server.command.collection.TimeSeries;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import java.util.List;
import java.util.Set;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonValue;

/** Descriptions of indexes as {@code listIndexes} prints them: fields in order, types as due. */
public final class IndexListing {
  private static final List<String> ORDER =
      List.of(
          "v",
          "key",
          "name",
          "background",
          "unique",
          "hidden",
          "partialFilterExpression",
          "sparse",
          "expireAfterSeconds",
          "storageEngine",
          "weights",
          "default_language",
          "language_override",
          "textIndexVersion",
          "2dsphereIndexVersion",
          "bits",
          "min",
          "max",
          "bucketSize",
          "collation",
          "wildcardProjection",
          "coarsestIndexedLevel",
          "finestIndexedLevel",
          "originalSpec",
          "clustered",
          "prepareUnique");
  private static final Set<String> INTEGERS =
      Set.of(
          "2dsphereIndexVersion",
          "v",
          "expireAfterSeconds",
          "textIndexVersion",
          "bits",
          "coarsestIndexedLevel",
          "finestIndexedLevel");
  private static final Set<String> DOUBLES = Set.of("min", "max", "bucketSize");
  private static final Set<String> SWITCHES = Set.of("background", "sparse");

  private IndexListing() {}

  public static List<BsonDocument> of(CollectionInfo info) {
    boolean isSeries = TimeSeries.of(info) != null; // whose buckets are clustered in MongoDB
    return info.readyIndexes().stream()
        .filter(index -> !isSeries || !index.isIdIndex())
        .map(index -> document(info, index))
        .toList();
  }

  private static BsonDocument document(CollectionInfo info, IndexSpec index) {
    BsonDocument clustered = info.options().getDocument("clusteredIndex", null);
    if (clustered != null && index.isIdIndex()) {
      var document = new BsonDocument();
      document.putAll(clustered);
      return document.append("clustered", BsonBoolean.TRUE);
    }
    return document(index.document());
  }

  static BsonDocument document(BsonDocument spec) {
    var document = new BsonDocument();
    for (String name : ORDER) {
      BsonValue value = spec.get(name);
      if (value != null) {
        document.append(name, typed(name, value));
      }
    }
    return document;
  }

  private static BsonValue typed(String name, BsonValue value) {
    if (INTEGERS.contains(name) && value.isNumber()) {
      return new BsonInt32(value.asNumber().intValue());
    }
    if (DOUBLES.contains(name) && value.isNumber()) {
      return new BsonDouble(value.asNumber().doubleValue());
    }
    if (SWITCHES.contains(name) && value.isNumber()) {
      return BsonBoolean.valueOf(value.asNumber().doubleValue() != 0);
    }
    return value;
  }
}
