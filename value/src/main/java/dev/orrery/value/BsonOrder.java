package dev.orrery.value;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.function.IntConsumer;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDbPointer;
import org.bson.BsonDocument;
import org.bson.BsonRegularExpression;
import org.bson.BsonValue;

/**
 * MongoDB's order over all BSON values: first by the bracket of the type ({@link CanonicalTypes}),
 * then by value. Objects and raw bytes compare alike. A Java {@code null} is a missing field, which
 * orders as undefined. Names of array elements do not count.
 */
public final class BsonOrder implements Comparator<BsonValue> {
  /** Strings by their bytes: the order without a collation. */
  public static final BsonOrder CANONICAL = new BsonOrder(StringOrder.UTF8, steps -> {});

  static final int BYTES_PER_STEP = 64;
  private static final int WATCHED_BYTES_MIN = 512;

  private final StringOrder strings;
  private final RawOrder raw;
  private final IntConsumer watch;

  private BsonOrder(StringOrder strings, IntConsumer watch) {
    this.strings = strings;
    this.raw = new RawOrder(strings, watch);
    this.watch = watch;
  }

  /** The order with strings and symbols compared by a collation. */
  public static BsonOrder with(StringOrder strings) {
    return strings == StringOrder.UTF8 ? CANONICAL : new BsonOrder(strings, steps -> {});
  }

  /**
   * The same order, watched: {@code watch} is told how many steps a comparison, or the hash of a
   * {@link BsonKey}, takes next, and ends what takes too long by throwing. A pair of fields or
   * elements is a step, and so are {@value #BYTES_PER_STEP} bytes; short texts count nothing.
   */
  public BsonOrder watchedBy(IntConsumer newWatch) {
    return new BsonOrder(strings, newWatch);
  }

  /** Says that so many bytes or characters are gone through; a few are not worth a call. */
  static void tell(IntConsumer watch, int bytes) {
    if (bytes >= WATCHED_BYTES_MIN) {
      watch.accept(bytes / BYTES_PER_STEP);
    }
  }

  void tell(int bytes) {
    tell(watch, bytes);
  }

  void tellElements(int count) {
    if (count > 0) {
      watch.accept(count);
    }
  }

  public StringOrder strings() {
    return strings;
  }

  /** The comparator of raw values. */
  public Comparator<RawValue> rawValues() {
    return this::compare;
  }

  /** The bracket of a value; a missing one is in the bracket of undefined. */
  public static int canonicalType(BsonValue value) {
    return value == null
        ? CanonicalTypes.UNDEFINED
        : CanonicalTypes.of(RawTypes.of(value.getBsonType()));
  }

  public int compare(RawValue left, RawValue right) {
    if (left == null || right == null) {
      return canonicalType(left) - canonicalType(right);
    }
    return raw.compare(left, right);
  }

  private static int canonicalType(RawValue value) {
    return value == null ? CanonicalTypes.UNDEFINED : CanonicalTypes.of(value.type());
  }

  public int compare(RawDocument left, RawDocument right) {
    return raw.compareDocuments(left, right);
  }

  public boolean areEqual(BsonValue left, BsonValue right) {
    return compare(left, right) == 0;
  }

  public boolean areEqual(RawValue left, RawValue right) {
    return compare(left, right) == 0;
  }

  @Override
  public int compare(BsonValue left, BsonValue right) {
    if (left == right) {
      return 0;
    }
    int difference = canonicalType(left) - canonicalType(right);
    return difference != 0 || left == null || right == null
        ? difference
        : compareWithinBracket(left, right);
  }

  private int compareWithinBracket(BsonValue left, BsonValue right) {
    return switch (left.getBsonType()) {
      case UNDEFINED, NULL, MIN_KEY, MAX_KEY -> 0;
      case DOUBLE, INT32, INT64, DECIMAL128 -> NumberOrder.compare(left, right);
      case STRING, SYMBOL -> compareTexts(text(left), text(right));
      case DOCUMENT -> compareDocuments(left.asDocument(), right.asDocument());
      case ARRAY -> compareArrays(left.asArray(), right.asArray());
      case BINARY -> compareBinaries(left.asBinary(), right.asBinary());
      case OBJECT_ID -> left.asObjectId().compareTo(right.asObjectId());
      case BOOLEAN -> left.asBoolean().compareTo(right.asBoolean());
      case DATE_TIME -> Long.compare(left.asDateTime().getValue(), right.asDateTime().getValue());
      case TIMESTAMP ->
          Long.compareUnsigned(left.asTimestamp().getValue(), right.asTimestamp().getValue());
      case REGULAR_EXPRESSION ->
          compareRegexes(left.asRegularExpression(), right.asRegularExpression());
      case DB_POINTER -> comparePointers(left.asDBPointer(), right.asDBPointer());
      case JAVASCRIPT ->
          Utf8Order.compare(left.asJavaScript().getCode(), right.asJavaScript().getCode());
      case JAVASCRIPT_WITH_SCOPE -> compareScoped(left, right);
      case END_OF_DOCUMENT -> throw new IllegalArgumentException("not a value");
    };
  }

  private int compareTexts(String left, String right) {
    tell(Math.min(left.length(), right.length()));
    return strings.compare(left, right);
  }

  static String text(BsonValue value) {
    return value.isString() ? value.asString().getValue() : value.asSymbol().getSymbol();
  }

  private int compareDocuments(BsonDocument left, BsonDocument right) {
    Iterator<Map.Entry<String, BsonValue>> l = left.entrySet().iterator();
    Iterator<Map.Entry<String, BsonValue>> r = right.entrySet().iterator();
    while (l.hasNext() && r.hasNext()) {
      watch.accept(1);
      var leftEntry = l.next();
      var rightEntry = r.next();
      int difference = canonicalType(leftEntry.getValue()) - canonicalType(rightEntry.getValue());
      if (difference == 0) {
        difference = Utf8Order.compare(leftEntry.getKey(), rightEntry.getKey());
      }
      if (difference == 0) {
        difference = compare(leftEntry.getValue(), rightEntry.getValue());
      }
      if (difference != 0) {
        return difference;
      }
    }
    return Boolean.compare(l.hasNext(), r.hasNext());
  }

  private int compareArrays(BsonArray left, BsonArray right) {
    int common = Math.min(left.size(), right.size());
    for (int i = 0; i < common; i++) {
      watch.accept(1);
      int difference = compare(left.get(i), right.get(i));
      if (difference != 0) {
        return difference;
      }
    }
    return Integer.compare(left.size(), right.size());
  }

  private int compareBinaries(BsonBinary left, BsonBinary right) {
    if (left.getData().length != right.getData().length) {
      return Integer.compare(left.getData().length, right.getData().length);
    }
    tell(left.getData().length);
    return left.getType() != right.getType()
        ? Byte.compareUnsigned(left.getType(), right.getType())
        : Arrays.compareUnsigned(left.getData(), right.getData());
  }

  private static int compareRegexes(BsonRegularExpression left, BsonRegularExpression right) {
    int difference = Utf8Order.compare(left.getPattern(), right.getPattern());
    return difference != 0 ? difference : Utf8Order.compare(left.getOptions(), right.getOptions());
  }

  /** By the length of the namespace before its text, as MongoDB compares their bytes. */
  private static int comparePointers(BsonDbPointer left, BsonDbPointer right) {
    return CANONICAL.raw.compare(RawValue.of(left), RawValue.of(right));
  }

  private static int compareScoped(BsonValue left, BsonValue right) {
    var l = left.asJavaScriptWithScope();
    var r = right.asJavaScriptWithScope();
    int difference = Utf8Order.compare(l.getCode(), r.getCode());
    return difference != 0
        ? difference
        : CANONICAL.compare(l.getScope(), r.getScope()); // no collation in a scope
  }
}
