package dev.orrery.language.query;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.WatchedOrder;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads one schema: first which keywords there are, then the keywords in MongoDB's order, so that
 * of several mistakes the same one is reported. Keywords on documents are read by {@link
 * SchemaObjectParser}.
 */
final class JsonSchemaParser {
  static final Set<String> SUPPORTED =
      Set.of(
          "additionalItems",
          "additionalProperties",
          "allOf",
          "anyOf",
          "bsonType",
          "dependencies",
          "description",
          "encrypt",
          "encryptMetadata",
          "enum",
          "exclusiveMaximum",
          "exclusiveMinimum",
          "items",
          "maxItems",
          "maxLength",
          "maxProperties",
          "maximum",
          "minItems",
          "minLength",
          "minProperties",
          "minimum",
          "multipleOf",
          "not",
          "oneOf",
          "pattern",
          "patternProperties",
          "properties",
          "required",
          "title",
          "type",
          "uniqueItems");

  /** Keywords of the standard that MongoDB refuses by name. */
  private static final Set<String> UNSUPPORTED =
      Set.of("$ref", "$schema", "default", "definitions", "format", "id");

  private final Map<String, RawValue> keywords;
  private final List<SchemaRule> rules = new ArrayList<>();

  private JsonSchemaParser(Map<String, RawValue> keywords) {
    this.keywords = keywords;
  }

  static JsonSchema parse(RawDocument schema) {
    var parser = new JsonSchemaParser(keywords(schema));
    parser.requireText("description");
    parser.requireText("title");
    var type = parser.parseType();
    parser.parseScalars();
    parser.parseArrays();
    parser.refuseEncryption();
    new SchemaObjectParser(parser.keywords, parser.rules).parse();
    parser.parseLogic();
    if (type != null) {
      parser.rules.add(type);
    }
    return new JsonSchema(schema, parser.rules);
  }

  private static Map<String, RawValue> keywords(RawDocument schema) {
    var keywords = new TreeMap<String, RawValue>();
    var elements = schema.elements();
    while (elements.next()) {
      String name = elements.name();
      if (UNSUPPORTED.contains(name)) {
        throw invalid("$jsonSchema keyword '" + name + "' is not currently supported");
      }
      if (!SUPPORTED.contains(name)) {
        throw invalid("Unknown $jsonSchema keyword: " + name);
      }
      if (keywords.put(name, elements.value()) != null) {
        throw invalid("Duplicate $jsonSchema keyword: " + name);
      }
    }
    return keywords;
  }

  private void requireText(String keyword) {
    var value = keywords.get(keyword);
    if (value != null && value.type() != RawTypes.STRING) {
      throw mismatch(keyword, "must be of type string");
    }
  }

  private @Nullable SchemaRule parseType() {
    if (keywords.containsKey("type") && keywords.containsKey("bsonType")) {
      throw invalid("Cannot specify both $jsonSchema keywords 'type' and 'bsonType'");
    }
    for (String keyword : List.of("type", "bsonType")) {
      if (keywords.containsKey(keyword) && keywords.containsKey("encrypt")) {
        throw invalid(
            "$jsonSchema keyword 'encrypt' cannot be used in conjunction with '"
                + keyword
                + "', 'encrypt' implies type 'bsonType::BinData'");
      }
    }
    String keyword = keywords.containsKey("type") ? "type" : "bsonType";
    var value = keywords.get(keyword);
    if (value == null) {
      return null;
    }
    var names = typeNames(keyword, value);
    if (names.isEmpty()) {
      throw invalid("$jsonSchema keyword '" + keyword + "' must name at least one type");
    }
    return new SchemaRules.HasType(keyword, TypeSet.ofAliases(names, keyword.equals("type")));
  }

  private static Set<String> typeNames(String keyword, RawValue value) {
    if (value.type() != RawTypes.STRING && !value.isArray()) {
      throw mismatch(keyword, "must be either a string or an array of strings");
    }
    var names = new LinkedHashSet<String>();
    for (var name : value.isArray() ? value.asDocument().toValues() : List.of(value)) {
      if (name.type() != RawTypes.STRING) {
        throw mismatch(keyword, "array elements must be strings");
      }
      if (name.asString().equals("integer")) {
        throw invalid("$jsonSchema type 'integer' is not currently supported.");
      }
      if (!names.add(name.asString())) {
        throw invalid(
            "$jsonSchema keyword '" + keyword + "' has duplicate value: " + name.asString());
      }
    }
    return names;
  }

  private void parseScalars() {
    var pattern = keywords.get("pattern");
    if (pattern != null) {
      if (pattern.type() != RawTypes.STRING) {
        throw mismatch("pattern", "must be a string");
      }
      rules.add(new SchemaRules.Matches(Regex.of(pattern.asString(), "")));
    }
    for (String keyword : List.of("maxLength", "minLength")) {
      if (keywords.containsKey(keyword)) {
        rules.add(new SchemaRules.Length(keyword, limit(keyword)));
      }
    }
    parseMultipleOf();
    parseLimit("maximum", "exclusiveMaximum");
    parseLimit("minimum", "exclusiveMinimum");
  }

  private long limit(String keyword) {
    return limit(keyword, keywords.get(keyword));
  }

  static long limit(String keyword, RawValue argument) {
    var limit = IntegerArgument.parseNonNegative(keyword, argument);
    if (!limit.isValid()) {
      throw invalid(limit.error());
    }
    return limit.value();
  }

  private void parseMultipleOf() {
    var divisor = keywords.get("multipleOf");
    if (divisor == null) {
      return;
    }
    if (!divisor.isNumber()) {
      throw mismatch("multipleOf", "must be a number");
    }
    var number = SchemaRules.MultipleOf.decimal(divisor);
    boolean isNegative = number == null ? isNegativeInfinity(divisor) : number.signum() <= 0;
    if (isNegative) {
      throw invalid("$jsonSchema keyword 'multipleOf' must have a positive value");
    }
    rules.add(new SchemaRules.MultipleOf(number));
  }

  private static boolean isNegativeInfinity(RawValue number) {
    return number.type() == RawTypes.DOUBLE
        ? number.asDouble() == Double.NEGATIVE_INFINITY
        : ValueTypes.decimal(number).isNegative();
  }

  private void parseLimit(String keyword, String exclusiveKeyword) {
    var operand = keywords.get(keyword);
    var exclusive = keywords.get(exclusiveKeyword);
    if (operand == null) {
      if (exclusive != null) {
        throw invalid(
            "$jsonSchema keyword '"
                + keyword
                + "' must be a present if "
                + exclusiveKeyword
                + " is present");
      }
      return;
    }
    if (exclusive != null && exclusive.type() != RawTypes.BOOLEAN) {
      throw mismatch(exclusiveKeyword, "must be a boolean");
    }
    if (!operand.isNumber()) {
      throw mismatch(keyword, "must be a number");
    }
    var operator = limitOperator(keyword, exclusive != null && exclusive.asBoolean());
    rules.add(
        new SchemaRules.Limit(
            keyword, exclusiveKeyword, new Comparison(operator, operand, WatchedOrder.CANONICAL)));
  }

  private static Comparison.Operator limitOperator(String keyword, boolean isExclusive) {
    if (keyword.equals("maximum")) {
      return isExclusive ? Comparison.Operator.LESS : Comparison.Operator.LESS_OR_EQUAL;
    }
    return isExclusive ? Comparison.Operator.GREATER : Comparison.Operator.GREATER_OR_EQUAL;
  }

  private void parseArrays() {
    for (String keyword : List.of("minItems", "maxItems")) {
      if (keywords.containsKey(keyword)) {
        rules.add(new SchemaRules.ItemCount(keyword, limit(keyword)));
      }
    }
    var unique = keywords.get("uniqueItems");
    if (unique != null) {
      if (unique.type() != RawTypes.BOOLEAN) {
        throw mismatch("uniqueItems", "must be a boolean");
      }
      if (unique.asBoolean()) {
        rules.add(new SchemaItemRules.UniqueItems());
      }
    }
    int positions = parseItems();
    parseAdditionalItems(positions);
  }

  /** Reads {@code items}; how many positions it lists, or -1 if it does not list any. */
  private int parseItems() {
    var items = keywords.get("items");
    if (items == null) {
      return -1;
    }
    if (items.isDocument()) {
      rules.add(new SchemaItemRules.ItemsFrom("items", 0, parse(items.asDocument())));
      return -1;
    }
    if (!items.isArray()) {
      throw mismatch("items", "must be an array or an object, not " + typeName(items));
    }
    var schemas = new ArrayList<JsonSchema>();
    for (var schema : items.asDocument().toValues()) {
      if (!schema.isDocument()) {
        throw mismatch(
            "items",
            "requires that each element of the array is an object, but found a "
                + typeName(schema));
      }
      schemas.add(parse(schema.asDocument()));
    }
    rules.add(new SchemaItemRules.ItemsByPosition(List.copyOf(schemas)));
    return schemas.size();
  }

  private void parseAdditionalItems(int start) {
    var additional = keywords.get("additionalItems");
    if (additional == null) {
      return;
    }
    if (additional.type() != RawTypes.BOOLEAN && !additional.isDocument()) {
      throw mismatch(
          "additionalItems",
          "must be either an object or a boolean, but got a " + typeName(additional));
    }
    var schema = schemaOrBoolean(additional);
    if (start >= 0) {
      rules.add(new SchemaItemRules.ItemsFrom("additionalItems", start, schema));
    }
  }

  /** A schema, or true for one that accepts everything and false for one that does not. */
  static JsonSchema schemaOrBoolean(RawValue value) {
    if (value.isDocument()) {
      return parse(value.asDocument());
    }
    return value.asBoolean()
        ? anything()
        : new JsonSchema(RawDocument.EMPTY, List.of(new SchemaRules.Never()));
  }

  /** The schema that accepts everything. */
  static JsonSchema anything() {
    return new JsonSchema(RawDocument.EMPTY, List.of());
  }

  private void refuseEncryption() {
    if (keywords.containsKey("encrypt") || keywords.containsKey("encryptMetadata")) {
      throw new CommandException(
          ErrorCode.QUERY_FEATURE_NOT_ALLOWED,
          "Encryption-related validator keywords are not allowed in this context");
    }
  }

  private void parseLogic() {
    for (String keyword : List.of("allOf", "anyOf", "oneOf")) {
      if (keywords.containsKey(keyword)) {
        rules.add(new SchemaObjectRules.Combined(keyword, schemas(keyword)));
      }
    }
    var not = keywords.get("not");
    if (not != null) {
      if (!not.isDocument()) {
        throw mismatch("not", "must be an object, but found an element of type " + typeName(not));
      }
      rules.add(new SchemaObjectRules.Combined("not", List.of(parse(not.asDocument()))));
    }
    if (keywords.containsKey("enum")) {
      rules.add(new SchemaRules.OneOfValues(enumValues()));
    }
  }

  private List<JsonSchema> schemas(String keyword) {
    var list = keywords.get(keyword);
    if (!list.isArray()) {
      throw mismatch(keyword, "must be an array");
    }
    if (list.asDocument().isEmpty()) {
      throw FilterParser.badValue(
          "$jsonSchema keyword '" + keyword + "' must be a non-empty array");
    }
    var schemas = new ArrayList<JsonSchema>();
    for (var schema : list.asDocument().toValues()) {
      if (!schema.isDocument()) {
        throw mismatch(
            keyword,
            "must be an array of objects, but found an element of type " + typeName(schema));
      }
      schemas.add(parse(schema.asDocument()));
    }
    return List.copyOf(schemas);
  }

  private List<RawValue> enumValues() {
    var list = keywords.get("enum");
    if (!list.isArray()) {
      throw mismatch("enum", "must be an array, but found an element of type " + typeName(list));
    }
    var values = new TreeSet<>(UnorderedFields.ORDER);
    for (var value : list.asDocument().toValues()) {
      if (!values.add(UnorderedFields.sorted(value))) {
        throw invalid("$jsonSchema keyword 'enum' array cannot contain duplicate values.");
      }
    }
    if (values.isEmpty()) {
      throw invalid("$jsonSchema keyword 'enum' cannot be an empty array");
    }
    return List.copyOf(values);
  }

  static CommandException invalid(String message) {
    return new CommandException(ErrorCode.FAILED_TO_PARSE, message);
  }

  static CommandException mismatch(String keyword, String problem) {
    return new CommandException(
        ErrorCode.TYPE_MISMATCH, "$jsonSchema keyword '" + keyword + "' " + problem);
  }

  static String typeName(RawValue value) {
    return BsonText.typeName(value.toBsonValue());
  }
}
