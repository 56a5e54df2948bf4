package dev.orrery.storage.value;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * A value as a key of hash maps and sets: equal to another if and only if they compare equal in
 * {@link BsonOrder}, so 1 and 1.0 are one key. The value may be {@code null} (missing), and must
 * not change while it is a key.
 */
public final class BsonKey {
  private final BsonValue value;
  private final BsonOrder order;
  private final int hash;

  private BsonKey(BsonValue value, BsonOrder order) {
    this.value = value;
    this.order = order;
    this.hash = hash(value, order.strings());
  }

  public static BsonKey of(BsonValue value) {
    return new BsonKey(value, BsonOrder.CANONICAL);
  }

  /** A key whose strings are equal as a collation says; keys of one map share one order. */
  public static BsonKey of(BsonValue value, BsonOrder order) {
    return new BsonKey(value, order);
  }

  /** The value itself, or null for a missing one. */
  public BsonValue value() {
    return value;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BsonKey key && hash == key.hash && hasEqualValue(key);
  }

  private boolean hasEqualValue(BsonKey other) {
    if (value instanceof BsonString left && other.value instanceof BsonString right) {
      // The same text is equal in every order; the rest is left to the collation.
      return left.getValue().equals(right.getValue())
          || order.strings() != StringOrder.UTF8 && order.compare(value, other.value) == 0;
    }
    return order.compare(value, other.value) == 0;
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return String.valueOf(value);
  }

  private static int hash(BsonValue value, StringOrder strings) {
    int content = value == null ? 0 : hashContent(value, strings);
    return 31 * BsonOrder.canonicalType(value) + content;
  }

  private static int hashContent(BsonValue value, StringOrder strings) {
    return switch (value.getBsonType()) {
      case UNDEFINED, NULL, MIN_KEY, MAX_KEY -> 0;
      case DOUBLE, INT32, INT64, DECIMAL128 -> NumberOrder.hash(value);
      case STRING, SYMBOL -> hashText(BsonOrder.text(value), strings);
      case DOCUMENT -> hashDocument(value.asDocument(), strings);
      case ARRAY -> hashArray(value.asArray(), strings);
      case BINARY -> Arrays.hashCode(value.asBinary().getData());
      case OBJECT_ID -> value.asObjectId().getValue().hashCode();
      case BOOLEAN -> Boolean.hashCode(value.asBoolean().getValue());
      case DATE_TIME -> Long.hashCode(value.asDateTime().getValue());
      case TIMESTAMP -> Long.hashCode(value.asTimestamp().getValue());
      case REGULAR_EXPRESSION -> value.asRegularExpression().getPattern().hashCode();
      case DB_POINTER -> value.asDBPointer().getId().hashCode();
      case JAVASCRIPT -> value.asJavaScript().getCode().hashCode();
      case JAVASCRIPT_WITH_SCOPE -> value.asJavaScriptWithScope().getCode().hashCode();
      case END_OF_DOCUMENT -> throw new IllegalArgumentException("not a value");
    };
  }

  private static int hashText(String text, StringOrder strings) {
    return strings == StringOrder.UTF8 ? text.hashCode() : Arrays.hashCode(strings.sortKey(text));
  }

  private static int hashDocument(BsonDocument document, StringOrder strings) {
    int hash = 1;
    for (Map.Entry<String, BsonValue> entry : document.entrySet()) {
      hash = 31 * hash + Objects.hash(entry.getKey(), hash(entry.getValue(), strings));
    }
    return hash;
  }

  private static int hashArray(BsonArray array, StringOrder strings) {
    int hash = 1;
    for (BsonValue element : array) {
      hash = 31 * hash + hash(element, strings);
    }
    return hash;
  }
}
