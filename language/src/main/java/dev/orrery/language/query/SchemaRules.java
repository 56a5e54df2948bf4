package dev.orrery.language.query;

import dev.orrery.language.limit.Allowance;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.jspecify.annotations.Nullable;

/** Rules of JSON Schema on single values: their type, numbers, strings, sizes. */
final class SchemaRules {
  private SchemaRules() {}

  /** {@code bsonType, type}. */
  record HasType(String keyword, TypeSet types) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      return types.contains(value);
    }

    @Override
    public List<BsonDocument> explain(RawValue value, RawDocument schema) {
      return FailureText.ofKeyword(keyword, schema)
          .reason("type did not match")
          .considered(value)
          .consideredTypes(List.of(value))
          .list();
    }
  }

  /** {@code enum}; the values have their fields sorted. */
  record OneOfValues(List<RawValue> values) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      Allowance.current().steps(values.size());
      var sorted = UnorderedFields.sorted(value);
      return values.stream().anyMatch(other -> UnorderedFields.ORDER.compare(sorted, other) == 0);
    }

    @Override
    public List<BsonDocument> explain(RawValue value, RawDocument schema) {
      return FailureText.ofKeyword("enum", schema)
          .reason("value was not found in enum")
          .considered(value)
          .list();
    }
  }

  /** {@code maximum, minimum}. */
  record Limit(String keyword, String exclusiveKeyword, Comparison comparison)
      implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      return !value.isNumber() || comparison.test(value, MatchDetails.NONE);
    }

    @Override
    public List<BsonDocument> explain(RawValue value, RawDocument schema) {
      var specification = new BsonDocument(keyword, comparison.operand().toBsonValue());
      if (!comparison.operator().isInclusive()) {
        specification.append(exclusiveKeyword, BsonBoolean.TRUE);
      }
      return FailureText.of(keyword)
          .specifiedAs(specification)
          .reason("comparison failed")
          .considered(value)
          .list();
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
    public List<BsonDocument> explain(RawValue value, RawDocument schema) {
      return FailureText.ofKeyword("multipleOf", schema)
          .reason("considered value is not a multiple of the specified value")
          .considered(value)
          .list();
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

    @Override
    public List<BsonDocument> explain(RawValue value, RawDocument schema) {
      return FailureText.ofKeyword(keyword, schema)
          .reason("specified string length was not satisfied")
          .considered(value)
          .list();
    }
  }

  /** {@code pattern}. */
  record Matches(Regex regex) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      return value.type() != RawTypes.STRING || regex.find(value.asString());
    }

    @Override
    public List<BsonDocument> explain(RawValue value, RawDocument schema) {
      return FailureText.ofKeyword("pattern", schema)
          .reason("regular expression did not match")
          .considered(value)
          .list();
    }
  }

  /** {@code maxItems, minItems}. */
  record ItemCount(String keyword, long limit) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      return !value.isArray() || isWithin(keyword, count(value), limit);
    }

    @Override
    public List<BsonDocument> explain(RawValue value, RawDocument schema) {
      return FailureText.ofKeyword(keyword, schema)
          .reason("array did not match specified length")
          .considered(value)
          .add("numberOfItems", new BsonInt32(count(value)))
          .list();
    }
  }

  /** {@code maxProperties, minProperties}. */
  record PropertyCount(String keyword, long limit) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      return !value.isDocument() || isWithin(keyword, count(value), limit);
    }

    @Override
    public List<BsonDocument> explain(RawValue value, RawDocument schema) {
      return FailureText.ofKeyword(keyword, schema)
          .reason("specified number of properties was not satisfied")
          .add("numberOfProperties", new BsonInt32(count(value)))
          .list();
    }
  }

  private static boolean isWithin(String keyword, long size, long limit) {
    return keyword.startsWith("max") ? size <= limit : size >= limit;
  }

  private static int count(RawValue container) {
    var elements = container.asDocument().elements();
    int count = 0;
    while (elements.next()) {
      count++;
    }
    return count;
  }

  /** Accepts nothing: {@code additionalItems: false}, {@code additionalProperties: false}. */
  record Never() implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      return false;
    }

    @Override
    public List<BsonDocument> explain(RawValue value, RawDocument schema) {
      return List.of(); // the rule that holds the boolean explains it
    }
  }
}
