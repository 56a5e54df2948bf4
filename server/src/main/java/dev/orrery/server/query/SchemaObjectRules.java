package dev.orrery.server.query;

import dev.orrery.storage.value.RawDocument;
import dev.orrery.storage.value.RawValue;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Rules of JSON Schema on documents, and those that combine schemas. */
final class SchemaObjectRules {
  private SchemaObjectRules() {}

  /** {@code required}; the names are sorted. */
  record Required(List<String> names) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      return !value.isDocument() || hasAll(value.asDocument(), names);
    }

    @Override
    public String keyword() {
      return "required";
    }
  }

  private static boolean hasAll(RawDocument document, List<String> names) {
    return names.stream().allMatch(name -> document.field(name) != null);
  }

  /** {@code properties}: the schemas of fields that may be missing. */
  record Properties(Map<String, JsonSchema> schemas) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      if (!value.isDocument()) {
        return true;
      }
      for (var entry : schemas.entrySet()) {
        var field = value.asDocument().field(entry.getKey());
        if (field != null && !entry.getValue().accepts(field)) {
          return false;
        }
      }
      return true;
    }

    @Override
    public String keyword() {
      return "properties";
    }
  }

  /** One entry of {@code patternProperties}. */
  record PatternProperty(Regex name, JsonSchema schema) {}

  /** {@code additionalProperties, patternProperties}: the fields that are not named. */
  record AllowedProperties(Set<String> named, List<PatternProperty> patterns, JsonSchema otherwise)
      implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      if (!value.isDocument()) {
        return true;
      }
      var elements = value.asDocument().elements();
      while (elements.next()) {
        if (!accepts(elements.name(), elements.value())) {
          return false;
        }
      }
      return true;
    }

    boolean accepts(String name, RawValue value) {
      boolean isMatched = false;
      for (var pattern : patterns) {
        if (pattern.name().find(name)) {
          isMatched = true;
          if (!pattern.schema().accepts(value)) {
            return false;
          }
        }
      }
      return isMatched || named.contains(name) || otherwise.accepts(value);
    }

    boolean isAdditional(String name) {
      return !named.contains(name)
          && patterns.stream().noneMatch(pattern -> pattern.name().find(name));
    }

    @Override
    public String keyword() {
      return "additionalProperties";
    }
  }

  /** {@code dependencies: {name: [...]}}: a field that needs others beside it. */
  record PropertyDependency(String name, List<String> needed) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      return !value.isDocument()
          || value.asDocument().field(name) == null
          || hasAll(value.asDocument(), needed);
    }

    @Override
    public String keyword() {
      return "dependencies";
    }
  }

  /** {@code dependencies: {name: {...}}}: a field with which the whole must satisfy a schema. */
  record SchemaDependency(String name, JsonSchema schema) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      return !value.isDocument() || value.asDocument().field(name) == null || schema.accepts(value);
    }

    @Override
    public String keyword() {
      return "dependencies";
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
  }
}
