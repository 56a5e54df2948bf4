package dev.orrery.language.query;

import dev.orrery.language.limit.Allowance;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/** Rules of JSON Schema on documents, and those that combine schemas. */
final class SchemaObjectRules {
  private SchemaObjectRules() {}

  /** {@code required}; the names are sorted. */
  record Required(List<String> names) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      return !value.isDocument() || missing(value.asDocument(), names).isEmpty();
    }

    @Override
    public List<BsonDocument> explain(RawValue value, RawDocument schema) {
      return FailureText.ofKeyword("required", schema)
          .add("missingProperties", FailureText.strings(missing(value.asDocument(), names)))
          .list();
    }
  }

  private static List<String> missing(RawDocument document, List<String> names) {
    return names.stream()
        .filter(
            name -> {
              FilterSize.count(document);
              return document.field(name) == null;
            })
        .toList();
  }

  /** {@code properties}: the schemas of fields that may be missing. */
  record Properties(Map<String, JsonSchema> schemas) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      return !value.isDocument()
          || schemas.entrySet().stream()
              .allMatch(entry -> accepts(value, entry.getKey(), entry.getValue()));
    }

    private static boolean accepts(RawValue value, String name, JsonSchema schema) {
      FilterSize.count(value.asDocument());
      var field = value.asDocument().field(name);
      return field == null || schema.accepts(field);
    }

    @Override
    public List<BsonDocument> explain(RawValue value, RawDocument parent) {
      var failures = new BsonArray();
      schemas.forEach(
          (name, schema) -> {
            if (!accepts(value, name, schema)) {
              failures.add(
                  FailureText.entry("propertyName", new BsonString(name))
                      .annotations(schema.source())
                      .add("details", schema.explain(value.asDocument().field(name)))
                      .build());
            }
          });
      return FailureText.of("properties").add("propertiesNotSatisfied", failures).list();
    }
  }

  /** One entry of {@code patternProperties}. */
  record PatternProperty(Regex name, JsonSchema schema) {
    /** The first field that has such a name and is not accepted. */
    @Nullable String firstFailing(RawDocument document) {
      var elements = document.elements();
      while (elements.next()) {
        if (name.find(elements.name()) && !schema.accepts(elements.value())) {
          return elements.name();
        }
      }
      return null;
    }
  }

  /** {@code additionalProperties, patternProperties}: the fields that are not named. */
  record AllowedProperties(Set<String> named, List<PatternProperty> patterns, JsonSchema otherwise)
      implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      if (!value.isDocument()) {
        return true;
      }
      var document = value.asDocument();
      return firstAdditionalFailing(document) == null
          && patterns.stream().allMatch(pattern -> pattern.firstFailing(document) == null);
    }

    private @Nullable String firstAdditionalFailing(RawDocument document) {
      var elements = document.elements();
      while (elements.next()) {
        if (isAdditional(elements.name()) && !otherwise.accepts(elements.value())) {
          return elements.name();
        }
      }
      return null;
    }

    private boolean isAdditional(String name) {
      Allowance.current().steps(1 + patterns.size());
      return !named.contains(name)
          && patterns.stream().noneMatch(pattern -> pattern.name().find(name));
    }

    @Override
    public List<BsonDocument> explain(RawValue value, RawDocument schema) {
      var document = value.asDocument();
      var failures = new ArrayList<BsonDocument>();
      String additional = firstAdditionalFailing(document);
      if (additional != null) {
        failures.add(explainAdditional(document, additional, schema));
      }
      var details = new BsonArray();
      for (var pattern : patterns) {
        String name = pattern.firstFailing(document);
        if (name != null) {
          details.add(
              FailureText.entry("propertyName", new BsonString(name))
                  .annotations(pattern.schema().source())
                  .add("regexMatched", new BsonString(pattern.name().pattern()))
                  .add("details", pattern.schema().explain(document.field(name)))
                  .build());
        }
      }
      if (!details.isEmpty()) {
        failures.add(FailureText.of("patternProperties").add("details", details).build());
      }
      return failures;
    }

    private BsonDocument explainAdditional(RawDocument document, String first, RawDocument schema) {
      if (schema.field("additionalProperties").type() != RawTypes.BOOLEAN) {
        return FailureText.of("additionalProperties")
            .annotations(otherwise.source())
            .reason("at least one additional property did not match the subschema")
            .add("failingProperty", new BsonString(first))
            .add("details", otherwise.explain(document.field(first)))
            .build();
      }
      var names = new ArrayList<String>();
      var elements = document.elements();
      while (elements.next()) {
        if (isAdditional(elements.name())) {
          names.add(elements.name());
        }
      }
      return FailureText.ofKeyword("additionalProperties", schema)
          .add("additionalProperties", FailureText.strings(names))
          .build();
    }
  }

  /** A field with which others must be there, or the whole must satisfy a schema. */
  record Dependency(String name, List<String> needed, @Nullable JsonSchema schema) {
    private boolean accepts(RawValue value) {
      FilterSize.count(value.asDocument());
      if (value.asDocument().field(name) == null) {
        return true;
      }
      return schema == null ? missing(value.asDocument(), needed).isEmpty() : schema.accepts(value);
    }

    private BsonDocument explain(RawValue value) {
      var failure = new BsonDocument("conditionalProperty", new BsonString(name));
      return schema == null
          ? failure.append(
              "missingProperties", FailureText.strings(missing(value.asDocument(), needed)))
          : failure.append("details", schema.explain(value));
    }
  }

  /** {@code dependencies}. */
  record Dependencies(List<Dependency> dependencies) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      return !value.isDocument()
          || dependencies.stream().allMatch(dependency -> dependency.accepts(value));
    }

    @Override
    public List<BsonDocument> explain(RawValue value, RawDocument schema) {
      var failing = new BsonArray();
      dependencies.stream()
          .filter(dependency -> !dependency.accepts(value))
          .forEach(dependency -> failing.add(dependency.explain(value)));
      return FailureText.of("dependencies").add("failingDependencies", failing).list();
    }
  }

  /** {@code allOf, anyOf, oneOf, not}: how many of the schemas must accept the value. */
  record Combined(String keyword, List<JsonSchema> schemas) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      long accepting = schemas.stream().filter(schema -> schema.accepts(value)).count();
      return switch (keyword) {
        case "allOf" -> accepting == schemas.size();
        case "anyOf" -> accepting > 0;
        case "oneOf" -> accepting == 1;
        default -> accepting == 0;
      };
    }

    @Override
    public List<BsonDocument> explain(RawValue value, RawDocument parent) {
      if (keyword.equals("not")) {
        return FailureText.of(keyword).reason("child expression matched").list();
      }
      var matching = new BsonArray();
      var failures = new BsonArray();
      for (int i = 0; i < schemas.size(); i++) {
        var schema = schemas.get(i);
        if (schema.accepts(value)) {
          matching.add(new BsonInt32(i));
        } else {
          failures.add(
              FailureText.entry("index", new BsonInt64(i))
                  .annotations(schema.source())
                  .add("details", schema.explain(value))
                  .build());
        }
      }
      return keyword.equals("oneOf") && !matching.isEmpty()
          ? FailureText.of(keyword)
              .reason("more than one subschema matched")
              .add("matchingSchemaIndexes", matching)
              .list()
          : FailureText.of(keyword).add("schemasNotSatisfied", failures).list();
    }
  }
}
