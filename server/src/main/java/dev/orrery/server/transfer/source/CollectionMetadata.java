package dev.orrery.server.transfer.source;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.jspecify.annotations.Nullable;

/**
 * What a dump says of a collection besides its documents, in the order and shape in which mongodump
 * writes it to {@code NAME.metadata.json} and into the prelude of an archive.
 *
 * @param options as listCollections shows them
 * @param indexes as listIndexes shows them
 * @param uuid in hexadecimal digits without dashes; null for views and where there is none
 * @param type {@code collection}, {@code view} or {@code timeseries}
 * @param partitionKey a path, which no dump of mongodump has and its tools pass over; or null
 */
public record CollectionMetadata(
    String name,
    String type,
    BsonDocument options,
    List<BsonDocument> indexes,
    @Nullable String uuid,
    @Nullable String partitionKey) {
  private static final String PARTITION_KEY = "partitionKey";
  private static final JsonWriterSettings CANONICAL =
      JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();

  public CollectionMetadata {
    indexes = List.copyOf(indexes);
  }

  public CollectionMetadata(
      String name,
      String type,
      BsonDocument options,
      List<BsonDocument> indexes,
      @Nullable String uuid) {
    this(name, type, options, indexes, uuid, null);
  }

  /** Of a collection of which nothing is known but its name. */
  public static CollectionMetadata bare(String name) {
    return new CollectionMetadata(name, "collection", new BsonDocument(), List.of(), null);
  }

  /**
   * Reads the text of a metadata file.
   *
   * @param place names the file, in errors
   */
  static CollectionMetadata parse(String json, String name, String place) throws TransferException {
    try {
      BsonDocument document = BsonDocument.parse(json);
      var indexes = new ArrayList<BsonDocument>();
      for (BsonValue index : document.getArray("indexes", new BsonArray())) {
        indexes.add(index.asDocument());
      }
      BsonDocument options = document.getDocument("options", new BsonDocument());
      String fallback = options.containsKey("viewOn") ? "view" : "collection";
      return new CollectionMetadata(
          text(document, "collectionName", name),
          text(document, "type", fallback),
          options,
          indexes,
          text(document, "uuid", null),
          text(document, PARTITION_KEY, null));
    } catch (RuntimeException e) { // of the bson library: not JSON, or a field of another type
      throw new TransferException(
          place
              + " is no metadata of a dump ("
              + e.getMessage()
              + "). Dump the collection again, or remove this file to import the documents alone.",
          e);
    }
  }

  private static @Nullable String text(
      BsonDocument document, String name, @Nullable String fallback) {
    String found = document.containsKey(name) ? document.getString(name).getValue() : "";
    return found.isEmpty() ? fallback : found;
  }

  /** Whether the documents of a dump are buckets of measurements. */
  public boolean isSeries() {
    return type.equals("timeseries");
  }

  boolean isView() {
    return type.equals("view");
  }

  public boolean isCapped() {
    BsonValue capped = options.get("capped");
    return capped != null && capped.isBoolean() && capped.asBoolean().getValue();
  }

  /** Whether what names no collation of its own has that of the collection. */
  public boolean hasCollation() {
    return options.containsKey("collation");
  }

  /** Indexes besides the one on {@code _id}. */
  public List<BsonDocument> secondaryIndexes() {
    return indexes.stream().filter(index -> !isIdIndex(index)).toList();
  }

  private static boolean isIdIndex(BsonDocument index) {
    BsonDocument key = index.getDocument("key", new BsonDocument());
    return key.size() == 1 && key.containsKey("_id") && !key.get("_id").isString();
  }

  /** Canonical extended JSON without white space, as mongodump writes it. */
  public String toJson() {
    var document = new BsonDocument();
    if (!options.isEmpty()) {
      document.append("options", options);
    }
    document.append("indexes", new BsonArray(indexes));
    if (uuid != null) {
      document.append("uuid", new BsonString(uuid));
    }
    document.append("collectionName", new BsonString(name));
    document.append("type", new BsonString(type));
    if (partitionKey != null) {
      document.append(PARTITION_KEY, new BsonString(partitionKey));
    }
    return CompactJson.of(document, CANONICAL);
  }
}
