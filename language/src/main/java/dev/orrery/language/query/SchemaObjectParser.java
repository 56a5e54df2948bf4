package dev.orrery.language.query;

import static dev.orrery.language.query.JsonSchemaParser.invalid;
import static dev.orrery.language.query.JsonSchemaParser.mismatch;
import static dev.orrery.language.query.JsonSchemaParser.typeName;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Reads the keywords of a schema that are about documents. */
final class SchemaObjectParser {
  private final Map<String, RawValue> keywords;
  private final List<SchemaRule> rules;

  SchemaObjectParser(Map<String, RawValue> keywords, List<SchemaRule> rules) {
    this.keywords = keywords;
    this.rules = rules;
  }

  void parse() {
    var required = parseRequired();
    var named = parseProperties();
    if (keywords.containsKey("patternProperties") || keywords.containsKey("additionalProperties")) {
      rules.add(
          new SchemaObjectRules.AllowedProperties(
              named, patternProperties(), additionalProperties()));
    }
    if (!required.isEmpty()) {
      rules.add(new SchemaObjectRules.Required(List.copyOf(required)));
    }
    for (String keyword : List.of("minProperties", "maxProperties")) {
      if (keywords.containsKey(keyword)) {
        long limit = JsonSchemaParser.limit(keyword, keywords.get(keyword));
        rules.add(new SchemaRules.PropertyCount(keyword, limit));
      }
    }
    parseDependencies();
  }

  private Set<String> parseRequired() {
    var required = keywords.get("required");
    if (required == null) {
      return Set.of();
    }
    if (!required.isArray()) {
      throw mismatch(
          "required", "must be an array, but found an element of type " + typeName(required));
    }
    var names = new TreeSet<String>();
    for (var name : required.asDocument().toValues()) {
      if (name.type() != RawTypes.STRING) {
        throw mismatch(
            "required",
            "must be an array of strings, but found an element of type: " + typeName(name));
      }
      if (!names.add(name.asString())) {
        throw invalid("$jsonSchema keyword 'required' array cannot contain duplicate values");
      }
    }
    if (names.isEmpty()) {
      throw invalid("$jsonSchema keyword 'required' cannot be an empty array");
    }
    return names;
  }

  private Set<String> parseProperties() {
    var properties = keywords.get("properties");
    if (properties == null) {
      return Set.of();
    }
    if (!properties.isDocument()) {
      throw mismatch("properties", "must be an object");
    }
    var schemas = new LinkedHashMap<String, JsonSchema>();
    var elements = properties.asDocument().elements();
    while (elements.next()) {
      if (elements.type() != RawTypes.DOCUMENT) {
        throw new CommandException(
            ErrorCode.TYPE_MISMATCH,
            "Nested schema for $jsonSchema property '" + elements.name() + "' must be an object");
      }
      schemas.put(elements.name(), JsonSchemaParser.parse(elements.value().asDocument()));
    }
    rules.add(new SchemaObjectRules.Properties(schemas));
    return schemas.keySet();
  }

  private List<SchemaObjectRules.PatternProperty> patternProperties() {
    var properties = keywords.get("patternProperties");
    if (properties == null) {
      return List.of();
    }
    if (!properties.isDocument()) {
      throw mismatch("patternProperties", "must be an object");
    }
    var patterns = new ArrayList<SchemaObjectRules.PatternProperty>();
    var elements = properties.asDocument().elements();
    while (elements.next()) {
      if (elements.type() != RawTypes.DOCUMENT) {
        throw mismatch(
            "patternProperties", "has property '" + elements.name() + "' which is not an object");
      }
      patterns.add(
          new SchemaObjectRules.PatternProperty(
              Regex.of(elements.name(), ""),
              JsonSchemaParser.parse(elements.value().asDocument())));
    }
    return List.copyOf(patterns);
  }

  private JsonSchema additionalProperties() {
    var additional = keywords.get("additionalProperties");
    if (additional == null) {
      return JsonSchemaParser.anything();
    }
    if (additional.type() != RawTypes.BOOLEAN && !additional.isDocument()) {
      throw mismatch("additionalProperties", "must be an object or a boolean");
    }
    return JsonSchemaParser.schemaOrBoolean(additional);
  }

  private void parseDependencies() {
    var dependencies = keywords.get("dependencies");
    if (dependencies == null) {
      return;
    }
    if (!dependencies.isDocument()) {
      throw mismatch("dependencies", "must be an object");
    }
    var parsed = new ArrayList<SchemaObjectRules.Dependency>();
    var elements = dependencies.asDocument().elements();
    while (elements.next()) {
      parseDependency(elements.name(), elements.value(), parsed);
    }
    rules.add(new SchemaObjectRules.Dependencies(List.copyOf(parsed)));
  }

  private static void parseDependency(
      String name, RawValue needs, List<SchemaObjectRules.Dependency> parsed) {
    if (needs.isDocument()) {
      var schema = JsonSchemaParser.parse(needs.asDocument());
      parsed.add(new SchemaObjectRules.Dependency(name, List.of(), schema));
    } else if (needs.isArray()) {
      parsed.add(new SchemaObjectRules.Dependency(name, neededNames(name, needs), null));
    } else if (needs.type() != RawTypes.STRING
        || !(name.equals("title") || name.equals("description"))) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH,
          "property '"
              + name
              + "' in $jsonSchema keyword 'dependencies' must be either an object or an array");
    }
  }

  private static List<String> neededNames(String name, RawValue list) {
    var names = new LinkedHashSet<String>();
    if (list.asDocument().isEmpty()) {
      throw invalid(
          "property '" + name + "' in $jsonSchema keyword 'dependencies' cannot be an empty array");
    }
    String place = "array '" + name + "' in $jsonSchema keyword 'dependencies' ";
    for (var needed : list.asDocument().toValues()) {
      if (needed.type() != RawTypes.STRING) {
        throw new CommandException(
            ErrorCode.TYPE_MISMATCH,
            place + "can only contain strings, but found element of type: " + typeName(needed));
      }
      if (!names.add(needed.asString())) {
        throw invalid(place + "contains duplicate element: " + needed.asString());
      }
    }
    return List.copyOf(names);
  }
}
