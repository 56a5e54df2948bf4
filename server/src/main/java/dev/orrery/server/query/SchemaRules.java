package dev.orrery.server.query;

import dev.orrery.storage.value.RawTypes;
import dev.orrery.storage.value.RawValue;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Rules of JSON Schema on values of any type, on numbers, strings and arrays. */
final class SchemaRules {
  private SchemaRules() {}

  /** {@code bsonType, type}. */
  record HasType(String keyword, TypeSet types) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      return types.contains(value);
    }
  }

  /** {@code enum}; the values have their fields sorted. */
  record OneOfValues(List<RawValue> values) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      var sorted = UnorderedFields.sorted(value);
      return values.stream().anyMatch(other -> UnorderedFields.ORDER.compare(sorted, other) == 0);
    }

    @Override
    public String keyword() {
      return "enum";
    }
  }

  /** {@code maximum, minimum}. */
  record Limit(String keyword, Comparison comparison) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      return !value.isNumber() || comparison.test(value, MatchDetails.NONE);
    }
  }

  /** {@code multipleOf}: in decimal arithmetic, so that 0.3 is a multiple of 0.1. */
  record MultipleOf(@Nullable BigDecimal divisor) implements SchemaRule {
    /** What MongoDB keeps of a double when it makes it a decimal. */
    private static final MathContext DOUBLE_DIGITS = new MathContext(15);

    @Override
    public boolean accepts(RawValue value) {
      if (!value.isNumber()) {
        return true;
      }
      var number = decimal(value);
      if (number == null) {
        return false;
      }
      return divisor == null
          ? number.signum() == 0 // of infinity
          : number.remainder(divisor).signum() == 0;
    }

    @Override
    public String keyword() {
      return "multipleOf";
    }

    /** The number as a decimal, or null if it is NaN or infinite. */
    static @Nullable BigDecimal decimal(RawValue number) {
      return switch (number.type()) {
        case RawTypes.DOUBLE ->
            Double.isFinite(number.asDouble())
                ? new BigDecimal(number.asDouble(), DOUBLE_DIGITS)
                : null;
        case RawTypes.DECIMAL128 -> ValueTypes.finiteDecimal(number);
        case RawTypes.INT32 -> BigDecimal.valueOf(number.asInt32());
        default -> BigDecimal.valueOf(number.asInt64());
      };
    }
  }

  /** {@code maxLength, minLength}: in code points. */
  record Length(String keyword, long limit) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      if (value.type() != RawTypes.STRING) {
        return true;
      }
      String text = value.asString();
      return isWithin(keyword, text.codePointCount(0, text.length()), limit);
    }
  }

  /** {@code pattern}. */
  record Matches(Regex regex) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      return value.type() != RawTypes.STRING || regex.find(value.asString());
    }

    @Override
    public String keyword() {
      return "pattern";
    }
  }

  /** {@code maxItems, minItems}. */
  record ItemCount(String keyword, long limit) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      return !value.isArray() || isWithin(keyword, count(value), limit);
    }
  }

  /** {@code maxProperties, minProperties}. */
  record PropertyCount(String keyword, long limit) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      return !value.isDocument() || isWithin(keyword, count(value), limit);
    }
  }

  private static boolean isWithin(String keyword, long size, long limit) {
    return keyword.startsWith("max") ? size <= limit : size >= limit;
  }

  private static long count(RawValue container) {
    var elements = container.asDocument().elements();
    long count = 0;
    while (elements.next()) {
      count++;
    }
    return count;
  }

  /** {@code uniqueItems: true}. */
  record UniqueItems() implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      if (!value.isArray()) {
        return true;
      }
      var seen = new TreeSet<>(UnorderedFields.ORDER);
      var elements = value.asDocument().elements();
      while (elements.next()) {
        if (!seen.add(UnorderedFields.sorted(elements.value()))) {
          return false;
        }
      }
      return true;
    }

    @Override
    public String keyword() {
      return "uniqueItems";
    }
  }

  /** {@code items: [...]}: each element by its position, as far as both go. */
  record ItemsByPosition(List<JsonSchema> schemas) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      if (!value.isArray()) {
        return true;
      }
      var elements = value.asDocument().elements();
      for (int i = 0; i < schemas.size() && elements.next(); i++) {
        if (!schemas.get(i).accepts(elements.value())) {
          return false;
        }
      }
      return true;
    }

    @Override
    public String keyword() {
      return "items";
    }
  }

  /** {@code items: {...}} and {@code additionalItems}: every element from a position on. */
  record ItemsFrom(String keyword, int start, JsonSchema schema) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      if (!value.isArray()) {
        return true;
      }
      var elements = value.asDocument().elements();
      for (int i = 0; elements.next(); i++) {
        if (i >= start && !schema.accepts(elements.value())) {
          return false;
        }
      }
      return true;
    }
  }

  /** Accepts nothing: {@code additionalItems: false}, {@code additionalProperties: false}. */
  record Never(String keyword) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      return false;
    }
  }
}
