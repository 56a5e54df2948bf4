package dev.orrery.server.command.schema;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.expression.WatchedOrder;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.query.FilterParser;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Which rules of a {@code $jsonSchema} a value breaks, as MongoDB lists them: in the order in which
 * it checks keywords, not in the order of the schema.
 */
final class SchemaFailures {
  private static final List<String> ORDER =
      List.of(
          "maximum",
          "minimum",
          "maxLength",
          "minLength",
          "pattern",
          "multipleOf",
          "minItems",
          "maxItems",
          "uniqueItems",
          "items",
          "additionalItems",
          "properties",
          "patternProperties",
          "additionalProperties",
          "required",
          "minProperties",
          "maxProperties",
          "dependencies",
          "allOf",
          "anyOf",
          "oneOf",
          "not",
          "enum",
          "type",
          "bsonType");

  private static final Map<String, String> REASONS =
      Map.ofEntries(
          Map.entry("bsonType", "type did not match"),
          Map.entry("enum", "value was not found in enum"),
          Map.entry("maxItems", "array did not match specified length"),
          Map.entry("maxLength", "specified string length was not satisfied"),
          Map.entry("maxProperties", "specified number of properties was not satisfied"),
          Map.entry("maximum", "comparison failed"),
          Map.entry("minItems", "array did not match specified length"),
          Map.entry("minLength", "specified string length was not satisfied"),
          Map.entry("minProperties", "specified number of properties was not satisfied"),
          Map.entry("minimum", "comparison failed"),
          Map.entry("multipleOf", "considered value is not a multiple of the specified value"),
          Map.entry("pattern", "regular expression did not match"),
          Map.entry("type", "type did not match"),
          Map.entry("uniqueItems", "found a duplicate item"));

  private SchemaFailures() {}

  static BsonDocument of(BsonDocument schema, BsonDocument document) {
    return described(new BsonDocument("operatorName", new BsonString("$jsonSchema")), schema)
        .append("schemaRulesNotSatisfied", rules(schema, document));
  }

  private static BsonDocument described(BsonDocument answer, BsonDocument schema) {
    for (String name : List.of("title", "description")) {
      if (schema.containsKey(name)) {
        answer.append(name, schema.get(name));
      }
    }
    return answer;
  }

  private static BsonArray rules(BsonDocument schema, BsonValue value) {
    var rules = new BsonArray();
    for (String keyword : ORDER) {
      if (schema.containsKey(keyword) && !isMet(written(schema, keyword, true), value)) {
        rules.add(rule(schema, keyword, value));
      }
    }
    return rules;
  }

  private static boolean isMet(BsonDocument schema, BsonValue value) {
    var properties = new BsonDocument("value", schema);
    var filter = new BsonDocument("$jsonSchema", new BsonDocument("properties", properties));
    return FilterParser.parse(filter).matches(RawDocument.of(new BsonDocument("value", value)));
  }

  /** The keyword with those that change its meaning, and, to check it, those it needs. */
  private static BsonDocument written(BsonDocument schema, String keyword, boolean isForCheck) {
    var written = new BsonDocument(keyword, schema.get(keyword));
    String companion =
        switch (keyword) {
          case "maximum" -> "exclusiveMaximum";
          case "minimum" -> "exclusiveMinimum";
          default -> null;
        };
    copy(schema, companion, written);
    if (isForCheck && keyword.equals("additionalProperties")) {
      copy(schema, "properties", written);
      copy(schema, "patternProperties", written);
    }
    if (isForCheck && keyword.equals("additionalItems")) {
      copy(schema, "items", written);
    }
    return written;
  }

  private static void copy(BsonDocument from, @Nullable String name, BsonDocument to) {
    if (name != null && from.containsKey(name)) {
      to.append(name, from.get(name));
    }
  }

  private static BsonDocument rule(BsonDocument schema, String keyword, BsonValue value) {
    var rule = new BsonDocument("operatorName", new BsonString(keyword));
    BsonValue argument = schema.get(keyword);
    return switch (keyword) {
      case "properties" ->
          rule.append(
              "propertiesNotSatisfied", properties(argument.asDocument(), value.asDocument()));
      case "required" ->
          rule.append("specifiedAs", written(schema, keyword, false))
              .append("missingProperties", missing(argument.asArray(), value.asDocument()));
      case "items" -> addItem(rule, argument, value.asArray());
      case "patternProperties" ->
          rule.append("details", patterns(argument.asDocument(), value.asDocument()));
      case "additionalProperties" -> addAdditional(rule, schema, value.asDocument());
      case "dependencies" ->
          rule.append("failingDependencies", dependencies(argument.asDocument(), value));
      case "allOf", "anyOf" ->
          rule.append("schemasNotSatisfied", branches(argument.asArray(), value));
      case "oneOf" -> addOneOf(rule, argument.asArray(), value);
      case "not" -> rule.append("reason", new BsonString("child expression matched"));
      default -> addValue(rule.append("specifiedAs", written(schema, keyword, false)), value);
    };
  }

  private static BsonDocument addValue(BsonDocument rule, BsonValue value) {
    String keyword = rule.getString("operatorName").getValue();
    rule.append("reason", new BsonString(REASONS.getOrDefault(keyword, "comparison failed")));
    switch (keyword) {
      case "minProperties", "maxProperties" ->
          rule.append("numberOfProperties", new BsonInt32(value.asDocument().size()));
      case "type", "bsonType" ->
          rule.append("consideredValue", value)
              .append("consideredType", new BsonString(BsonText.typeName(value)));
      case "uniqueItems" ->
          rule.append("consideredValue", value).append("duplicatedValue", duplicate(value));
      default -> rule.append("consideredValue", value);
    }
    return rule;
  }

  private static BsonValue duplicate(BsonValue array) {
    List<BsonValue> seen = new ArrayList<>();
    for (BsonValue item : array.asArray()) {
      Allowance.current().steps(1 + seen.size());
      if (seen.stream().anyMatch(one -> WatchedOrder.CANONICAL.compare(one, item) == 0)) {
        return item;
      }
      seen.add(item);
    }
    throw new IllegalStateException("all items differ");
  }

  private static BsonArray properties(BsonDocument schemas, BsonDocument document) {
    var failed = new BsonArray();
    schemas.forEach(
        (name, schema) -> {
          BsonValue value = document.get(name);
          if (value != null && !isMet(schema.asDocument(), value)) {
            var property = new BsonDocument("propertyName", new BsonString(name));
            failed.add(
                described(property, schema.asDocument())
                    .append("details", rules(schema.asDocument(), value)));
          }
        });
    return failed;
  }

  private static BsonArray missing(BsonArray names, BsonDocument document) {
    var missing = new BsonArray();
    for (BsonValue name : names) {
      if (!document.containsKey(name.asString().getValue())) {
        missing.add(name);
      }
    }
    return missing;
  }

  private static BsonDocument addItem(BsonDocument rule, BsonValue schemas, BsonArray items) {
    for (int i = 0; i < items.size(); i++) {
      BsonDocument schema =
          schemas.isArray()
              ? i < schemas.asArray().size() ? schemas.asArray().get(i).asDocument() : null
              : schemas.asDocument();
      if (schema != null && !isMet(schema, items.get(i))) {
        rule.append("reason", new BsonString("At least one item did not match the sub-schema"))
            .append("itemIndex", new BsonInt32(i));
        return rule.append("details", rules(schema, items.get(i)));
      }
    }
    return rule;
  }

  private static BsonArray patterns(BsonDocument schemas, BsonDocument document) {
    var failed = new BsonArray();
    schemas.forEach(
        (pattern, schema) ->
            document.forEach(
                (name, value) -> {
                  if (Pattern.compile(pattern).matcher(name).find()
                      && !isMet(schema.asDocument(), value)) {
                    failed.add(
                        new BsonDocument("propertyName", new BsonString(name))
                            .append("regexMatched", new BsonString(pattern))
                            .append("details", rules(schema.asDocument(), value)));
                  }
                }));
    return failed;
  }

  private static BsonDocument addAdditional(
      BsonDocument rule, BsonDocument schema, BsonDocument document) {
    BsonDocument known = schema.getDocument("properties", new BsonDocument());
    BsonDocument patterns = schema.getDocument("patternProperties", new BsonDocument());
    BsonValue additional = schema.get("additionalProperties");
    var names = new BsonArray();
    for (String name : document.keySet()) {
      boolean isKnown =
          known.containsKey(name)
              || patterns.keySet().stream().anyMatch(p -> Pattern.compile(p).matcher(name).find());
      if (isKnown) {
        continue;
      }
      if (additional.isDocument() && !isMet(additional.asDocument(), document.get(name))) {
        return rule.append(
                "reason",
                new BsonString("at least one additional property did not match the subschema"))
            .append("failingProperty", new BsonString(name))
            .append("details", rules(additional.asDocument(), document.get(name)));
      }
      names.add(new BsonString(name));
    }
    return rule.append("specifiedAs", new BsonDocument("additionalProperties", additional))
        .append("additionalProperties", names);
  }

  private static BsonArray dependencies(BsonDocument dependencies, BsonValue value) {
    var failed = new BsonArray();
    dependencies.forEach(
        (name, wanted) -> {
          var single = new BsonDocument("dependencies", new BsonDocument(name, wanted));
          if (isMet(single, value)) {
            return;
          }
          var failure = new BsonDocument("conditionalProperty", new BsonString(name));
          failed.add(
              wanted.isArray()
                  ? failure.append(
                      "missingProperties", missing(wanted.asArray(), value.asDocument()))
                  : failure.append("details", rules(wanted.asDocument(), value)));
        });
    return failed;
  }

  private static BsonArray branches(BsonArray schemas, BsonValue value) {
    var failed = new BsonArray();
    for (int i = 0; i < schemas.size(); i++) {
      BsonDocument schema = schemas.get(i).asDocument();
      if (!isMet(schema, value)) {
        failed.add(
            new BsonDocument("index", new BsonInt32(i)).append("details", rules(schema, value)));
      }
    }
    return failed;
  }

  private static BsonDocument addOneOf(BsonDocument rule, BsonArray schemas, BsonValue value) {
    var matching = new BsonArray();
    for (int i = 0; i < schemas.size(); i++) {
      if (isMet(schemas.get(i).asDocument(), value)) {
        matching.add(new BsonInt32(i));
      }
    }
    return matching.isEmpty()
        ? rule.append("schemasNotSatisfied", branches(schemas, value))
        : rule.append("reason", new BsonString("more than one subschema matched"))
            .append("matchingSchemaIndexes", matching);
  }
}
