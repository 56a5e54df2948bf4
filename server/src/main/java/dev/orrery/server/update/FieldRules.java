package dev.orrery.server.update;

import dev.orrery.server.expression.Expression;
import dev.orrery.server.expression.Scope;
import java.util.LinkedHashMap;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** What a stage does with each field of a document, and with the fields below it. */
final class FieldRules {
  /** What is to be done with one field. */
  sealed interface Rule {}

  record Compute(Expression expression) implements Rule {}

  record Keep() implements Rule {}

  record Drop() implements Rule {}

  record Below(FieldRules rules) implements Rule {}

  private final Map<String, Rule> rules = new LinkedHashMap<>();

  @Nullable Rule rule(String name) {
    return rules.get(name);
  }

  void add(String name, Rule rule) {
    rules.put(name, rule);
  }

  /** The document with all computed fields set; expressions see it as it was. */
  BsonDocument computeIn(BsonDocument document) {
    return computed(document, new Scope(document));
  }

  private BsonDocument computed(BsonDocument document, Scope scope) {
    var result = new BsonDocument(document.size());
    result.putAll(document);
    for (var entry : rules.entrySet()) {
      BsonValue value = result.get(entry.getKey());
      if (entry.getValue() instanceof Compute compute) {
        value = compute.expression().evaluate(scope);
      } else if (entry.getValue() instanceof Below below && below.rules().hasComputed()) {
        value = below.rules().computedIn(value, scope);
      }
      if (value == null) {
        result.remove(entry.getKey());
      } else {
        result.put(entry.getKey(), value);
      }
    }
    return result;
  }

  private boolean hasComputed() {
    return rules.values().stream()
        .anyMatch(
            rule ->
                rule instanceof Compute
                    || (rule instanceof Below below && below.rules().hasComputed()));
  }

  /** Fields are set in every document of an array; a scalar gives way to a document. */
  private BsonValue computedIn(@Nullable BsonValue value, Scope scope) {
    if (value instanceof BsonArray elements) {
      var result = new BsonArray(elements.size());
      elements.forEach(element -> result.add(computedIn(element, scope)));
      return result;
    }
    return computed(value instanceof BsonDocument fields ? fields : new BsonDocument(), scope);
  }

  BsonDocument withoutDropped(BsonDocument document) {
    var result = new BsonDocument(document.size());
    document.forEach(
        (name, value) -> {
          var rule = rules.get(name);
          if (rule instanceof Below below) {
            result.put(name, below.rules().withoutDropped(value));
          } else if (!(rule instanceof Drop)) {
            result.put(name, value);
          }
        });
    return result;
  }

  private BsonValue withoutDropped(BsonValue value) {
    if (value instanceof BsonArray elements) {
      var result = new BsonArray(elements.size());
      elements.forEach(element -> result.add(withoutDropped(element)));
      return result;
    }
    return value instanceof BsonDocument fields ? withoutDropped(fields) : value;
  }

  /** Only the fields to keep, with the computed ones. */
  BsonDocument keptIn(BsonDocument document) {
    return computed(kept(document), new Scope(document));
  }

  private BsonDocument kept(BsonDocument document) {
    var result = new BsonDocument();
    document.forEach(
        (name, value) -> {
          var rule = rules.get(name);
          var kept = rule instanceof Below below ? below.rules().kept(value) : null;
          if (rule instanceof Keep) {
            result.put(name, value);
          } else if (kept != null) {
            result.put(name, kept);
          }
        });
    return result;
  }

  private @Nullable BsonValue kept(BsonValue value) {
    if (value instanceof BsonArray elements) {
      var result = new BsonArray();
      for (BsonValue element : elements) {
        var kept = kept(element);
        if (kept != null) {
          result.add(kept);
        }
      }
      return result;
    }
    return value instanceof BsonDocument fields ? kept(fields) : null;
  }
}
