package dev.orrery.server.query;

import dev.orrery.storage.value.RawDocument;
import dev.orrery.storage.value.RawTypes;
import dev.orrery.storage.value.RawValue;
import java.util.List;

/**
 * A compiled {@code $jsonSchema}: the rules that a value, at the top the document itself, must
 * satisfy. A rule about one type accepts values of every other type.
 */
public final class JsonSchema implements DocumentPredicate {
  private final List<SchemaRule> rules;

  JsonSchema(List<SchemaRule> rules) {
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

  boolean accepts(RawValue value) {
    for (int i = 0; i < rules.size(); i++) {
      if (!rules.get(i).accepts(value)) {
        return false;
      }
    }
    return true;
  }

  /** The rules in the order in which MongoDB checks and reports them. */
  List<SchemaRule> rules() {
    return rules;
  }
}
