package dev.orrery.language.query;

import dev.orrery.language.limit.Allowance;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;

/**
 * A compiled {@code $jsonSchema}: the rules that a value, at the top the document itself, must
 * satisfy. A rule about one type accepts values of every other type.
 */
public final class JsonSchema implements DocumentPredicate {
  private final RawDocument source;
  private final List<SchemaRule> rules;

  JsonSchema(RawDocument source, List<SchemaRule> rules) {
    this.source = source;
    this.rules = List.copyOf(rules);
  }

  /** Compiles a schema; what is wrong with it is reported in MongoDB's words. */
  public static JsonSchema parse(RawDocument schema) {
    return JsonSchemaParser.parse(schema);
  }

  @Override
  public boolean test(RawDocument document) {
    return accepts(new RawValue(RawTypes.DOCUMENT, document.bytes(), document.offset()));
  }

  @Override
  public BsonDocument document() {
    return new BsonDocument("$jsonSchema", source.toBsonDocument());
  }

  boolean accepts(RawValue value) {
    Allowance.current().steps(1 + rules.size());
    for (int i = 0; i < rules.size(); i++) {
      if (!rules.get(i).accepts(value)) {
        return false;
      }
    }
    return true;
  }

  /** The schema as it was written. */
  RawDocument source() {
    return source;
  }

  /** What is wrong with a value that is not accepted, in the order of MongoDB's checks. */
  BsonArray explain(RawValue value) {
    var failures = new BsonArray();
    for (var rule : rules) {
      if (!rule.accepts(value)) {
        failures.addAll(rule.explain(value, source));
      }
    }
    return failures;
  }

  /** The details of the error about a document that this schema refuses. */
  BsonDocument explain(RawDocument document) {
    var value = new RawValue(RawTypes.DOCUMENT, document.bytes(), document.offset());
    return FailureText.of("$jsonSchema")
        .annotations(source)
        .add("schemaRulesNotSatisfied", explain(value))
        .build();
  }
}
