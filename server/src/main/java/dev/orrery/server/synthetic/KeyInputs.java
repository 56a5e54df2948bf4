package dev.orrery.server.synthetic;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.query.Equalities;
import dev.orrery.language.query.Filter;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.jspecify.annotations.Nullable;

/**
 * The fields that an expression of a synthetic key reads, from a document or from a filter. Values
 * that a filter takes for equal must give one key, so they are brought to one form before the
 * expression sees them: numbers to the shortest type that has them, symbols to text, what is
 * missing or undefined to null. Arrays are refused, as in any shard key: a filter could mean one of
 * their elements.
 */
final class KeyInputs {
  /** How many combinations of values of a filter are looked at. */
  static final int COMBINATIONS_MAX = 1_000;

  private static final int LONG_DIGITS_MAX = 19;
  private static final BigDecimal LONG_MIN = BigDecimal.valueOf(Long.MIN_VALUE);
  private static final BigDecimal LONG_MAX = BigDecimal.valueOf(Long.MAX_VALUE);

  private final List<FieldPath> paths;

  private KeyInputs(List<FieldPath> paths) {
    this.paths = paths;
  }

  /**
   * What the expression reads.
   *
   * @throws CommandException if that is more than fields which a filter can name
   */
  static KeyInputs of(Expression expression) {
    Dependencies read = Dependencies.of(expression);
    Set<String> fields = new TreeSet<>(read.fields()); // a path comes before those below it
    boolean isShape = fields.stream().anyMatch(path -> path.indexOf('\0') >= 0);
    if (read.needsWholeDocument() || !read.metadata().isEmpty() || isShape) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "A synthetic shard key is made of named fields of the document");
    }
    var paths = new ArrayList<FieldPath>();
    for (String field : fields) {
      boolean isInside = paths.stream().anyMatch(path -> field.startsWith(path.dotted() + "."));
      if (!isInside) {
        paths.add(FieldPath.parse(field));
      }
    }
    return new KeyInputs(paths);
  }

  boolean isEmpty() {
    return paths.isEmpty();
  }

  /** Whether it reads the field, or a part of it. */
  boolean reads(String name) {
    return paths.stream()
        .anyMatch(path -> path.dotted().equals(name) || path.dotted().startsWith(name + "."));
  }

  /** The fields of a document, each in its form. */
  BsonDocument of(RawDocument document) {
    var inputs = new BsonDocument();
    for (FieldPath path : paths) {
      RawValue value = path.findOrArray(document);
      if (value != null && value.isArray()) {
        throw new CommandException(
            ErrorCode.BAD_VALUE,
            "The field '%s', which the shard key is made of, cannot be or lie in an array"
                .formatted(path.dotted()));
      }
      put(inputs, path, value == null ? BsonNull.VALUE : canonical(value.toBsonValue()));
    }
    return inputs;
  }

  /** The fields that every document must have that matches; null when the filter leaves it open. */
  @Nullable List<BsonDocument> of(Filter filter) {
    List<BsonDocument> combinations = List.of(new BsonDocument());
    for (FieldPath path : paths) {
      List<RawValue> fixed = Equalities.fixedValues(filter, path);
      if (fixed == null || (long) fixed.size() * combinations.size() > COMBINATIONS_MAX) {
        return null;
      }
      var next = new ArrayList<BsonDocument>();
      for (BsonDocument combination : combinations) {
        for (RawValue value : fixed) {
          BsonDocument more = combination.clone();
          put(more, path, canonical(value.toBsonValue()));
          next.add(more);
        }
      }
      combinations = next;
    }
    return combinations;
  }

  private static void put(BsonDocument document, FieldPath path, BsonValue value) {
    BsonDocument parent = document;
    for (int i = 0; i + 1 < path.size(); i++) {
      if (!parent.containsKey(path.part(i))) {
        parent.append(path.part(i), new BsonDocument());
      }
      parent = parent.getDocument(path.part(i));
    }
    parent.append(path.part(path.size() - 1), value);
  }

  /** The one of all values that are equal to this one which stands for them. */
  static BsonValue canonical(BsonValue value) {
    return switch (value.getBsonType()) {
      case DOUBLE, INT32, INT64, DECIMAL128 -> number(value);
      case SYMBOL -> new BsonString(value.asSymbol().getSymbol());
      case UNDEFINED -> BsonNull.VALUE;
      case DOCUMENT -> {
        var document = new BsonDocument();
        value.asDocument().forEach((name, inner) -> document.append(name, canonical(inner)));
        yield document;
      }
      case ARRAY -> {
        var array = new BsonArray();
        value.asArray().forEach(inner -> array.add(canonical(inner)));
        yield array;
      }
      default -> value;
    };
  }

  private static BsonValue number(BsonValue value) {
    BigDecimal exact = exact(value);
    if (exact == null) {
      return new BsonDouble(
          value.isDouble()
              ? value.asDouble().getValue()
              : value.asDecimal128().getValue().doubleValue());
    }
    BigDecimal bare = exact.stripTrailingZeros();
    boolean isWhole = bare.scale() <= 0 && bare.precision() - bare.scale() <= LONG_DIGITS_MAX;
    if (isWhole && bare.compareTo(LONG_MIN) >= 0 && bare.compareTo(LONG_MAX) <= 0) {
      long whole = bare.longValueExact();
      return whole == (int) whole ? new BsonInt32((int) whole) : new BsonInt64(whole);
    }
    double near = bare.doubleValue();
    return Double.isFinite(near) && new BigDecimal(near).compareTo(bare) == 0
        ? new BsonDouble(near)
        : new BsonDecimal128(new Decimal128(bare));
  }

  /** Null for what is not finite. */
  private static @Nullable BigDecimal exact(BsonValue value) {
    if (value.isInt32() || value.isInt64()) {
      return BigDecimal.valueOf(value.asNumber().longValue());
    }
    if (value.isDouble()) {
      double number = value.asDouble().getValue();
      return Double.isFinite(number) ? new BigDecimal(number) : null;
    }
    Decimal128 decimal = value.asDecimal128().getValue();
    if (!decimal.isFinite()) {
      return null;
    }
    boolean isNegativeZero = decimal.isNegative() && decimal.doubleValue() == 0;
    if (isNegativeZero) { // or so small that it is nothing as a double; its own value then
      BigDecimal turned =
          Decimal128.fromIEEE754BIDEncoding(decimal.getHigh() & Long.MAX_VALUE, decimal.getLow())
              .bigDecimalValue();
      return turned.negate();
    }
    return decimal.bigDecimalValue();
  }
}
