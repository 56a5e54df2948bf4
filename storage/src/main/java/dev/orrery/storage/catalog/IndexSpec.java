package dev.orrery.storage.catalog;

import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * What an index is: its name, key pattern and options, read from the document that describes it.
 * The document is trusted; users' input is checked before. Two specs are equal if their documents
 * are.
 */
public final class IndexSpec {
  /** The name of the index on the partition key. */
  public static final String KEY_INDEX = "_shardKey_";

  /** What decides about the keys of text and geo indexes. */
  private static final List<String> SPECIAL_OPTIONS =
      List.of(
          "2dsphereIndexVersion",
          "bits",
          "coarsestIndexedLevel",
          "default_language",
          "finestIndexedLevel",
          "language_override",
          "max",
          "min",
          "textIndexVersion",
          "weights");

  private final BsonDocument document;
  private final String name;
  private final BsonDocument keyPattern;
  private final List<IndexField> fields;

  private IndexSpec(BsonDocument document) {
    this.document = document.clone();
    this.name = document.getString("name").getValue();
    this.keyPattern = this.document.getDocument("key");
    this.fields =
        keyPattern.entrySet().stream()
            .map(entry -> IndexField.of(entry.getKey(), entry.getValue()))
            .toList();
  }

  public static IndexSpec of(BsonDocument document) {
    return new IndexSpec(document);
  }

  /** The index that every collection has. */
  public static IndexSpec idIndex() {
    return of(BsonDocument.parse("{v: 2, key: {_id: 1}, name: '_id_'}"));
  }

  /**
   * The index that engines keep on a partition key, in the order of its values. Nobody else can
   * give an index that name.
   */
  public static IndexSpec keyIndex(String partitionKey) {
    return of(
        new BsonDocument("v", new BsonInt32(2))
            .append("key", new BsonDocument(partitionKey, new BsonInt32(1)))
            .append("name", new BsonString(KEY_INDEX)));
  }

  /** The document as it was given, with options we do not know; not to be changed. */
  public BsonDocument document() {
    return document;
  }

  public String name() {
    return name;
  }

  /** The key pattern as it was given; not to be changed. */
  public BsonDocument keyPattern() {
    return keyPattern;
  }

  public List<IndexField> fields() {
    return fields;
  }

  public boolean isIdIndex() {
    return fields.size() == 1
        && fields.get(0).kind() == IndexField.Kind.ORDERED
        && fields.get(0).path().dotted().equals("_id");
  }

  /** The index on {@code _id} is, although its document does not say so. */
  public boolean isUnique() {
    return isTrue("unique") || isIdIndex();
  }

  /** Takes no new duplicates, though it may have old ones, so that it can become unique. */
  public boolean isPreparedUnique() {
    return isTrue("prepareUnique");
  }

  public boolean isSparse() {
    return isTrue("sparse");
  }

  public boolean isHidden() {
    return isTrue("hidden");
  }

  public boolean has(IndexField.Kind kind) {
    return fields.stream().anyMatch(field -> field.kind() == kind);
  }

  /** Whether words or shapes make its keys. */
  public boolean isSpecial() {
    return has(IndexField.Kind.TEXT)
        || has(IndexField.Kind.GEO_2D)
        || has(IndexField.Kind.GEO_2DSPHERE);
  }

  /** The filter of a partial index, or null. */
  public BsonDocument partialFilter() {
    return find("partialFilterExpression");
  }

  /** The collation, or null for the comparison of bytes. */
  public BsonDocument collation() {
    return find("collation");
  }

  /** What a wildcard index takes or leaves, or null. */
  public BsonDocument wildcardProjection() {
    return find("wildcardProjection");
  }

  /** Whether both make the same keys of every document, whatever else they are. */
  public boolean hasKeysOf(IndexSpec other) {
    return keyPattern.equals(other.keyPattern)
        && isSparse() == other.isSparse()
        && Objects.equals(partialFilter(), other.partialFilter())
        && Objects.equals(collation(), other.collation())
        && Objects.equals(wildcardProjection(), other.wildcardProjection())
        && SPECIAL_OPTIONS.stream()
            .allMatch(option -> Objects.equals(document.get(option), other.document.get(option)));
  }

  /** How long after the date in its field a document is deleted. */
  public OptionalLong expireAfterSeconds() {
    BsonValue value = document.get("expireAfterSeconds");
    return value != null && value.isNumber()
        ? OptionalLong.of(value.asNumber().longValue())
        : OptionalLong.empty();
  }

  private BsonDocument find(String option) {
    BsonValue value = document.get(option);
    return value != null && value.isDocument() ? value.asDocument() : null;
  }

  private boolean isTrue(String option) {
    BsonValue value = document.get(option);
    if (value == null) {
      return false;
    }
    return value.isBoolean()
        ? value.asBoolean().getValue()
        : value.isNumber() && value.asNumber().doubleValue() != 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof IndexSpec spec && document.equals(spec.document);
  }

  @Override
  public int hashCode() {
    return document.hashCode();
  }

  @Override
  public String toString() {
    return document.toJson();
  }
}
