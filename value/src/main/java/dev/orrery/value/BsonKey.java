package dev.orrery.value;

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
    this.hash = hash(value, order);
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

  private static int hash(BsonValue value, BsonOrder order) {
    int content = value == null ? 0 : hashContent(value, order);
    return 31 * BsonOrder.canonicalType(value) + content;
  }

  private static int hashContent(BsonValue value, BsonOrder order) {
    return switch (value.getBsonType()) {
      case UNDEFINED, NULL, MIN_KEY, MAX_KEY -> 0;
      case DOUBLE, INT32, INT64, DECIMAL128 -> NumberOrder.hash(value);
      case STRING, SYMBOL -> hashText(BsonOrder.text(value), order);
      case DOCUMENT -> hashDocument(value.asDocument(), order);
      case ARRAY -> hashArray(value.asArray(), order);
      case BINARY -> hashBytes(value.asBinary().getData(), order);
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

  private static int hashText(String text, BsonOrder order) {
    order.tell(text.length());
    return order.strings() == StringOrder.UTF8
        ? text.hashCode()
        : Arrays.hashCode(order.strings().sortKey(text));
  }

  private static int hashBytes(byte[] bytes, BsonOrder order) {
    order.tell(bytes.length);
    return Arrays.hashCode(bytes);
  }

  private static int hashDocument(BsonDocument document, BsonOrder order) {
    order.tellElements(document.size());
    int hash = 1;
    for (Map.Entry<String, BsonValue> entry : document.entrySet()) {
      hash = 31 * hash + Objects.hash(entry.getKey(), hash(entry.getValue(), order));
    }
    return hash;
  }

  private static int hashArray(BsonArray array, BsonOrder order) {
    order.tellElements(array.size());
    int hash = 1;
    for (BsonValue element : array) {
      hash = 31 * hash + hash(element, order);
    }
    return hash;
  }
}
