package dev.orrery.language.query;

import dev.orrery.language.limit.Allowance;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.List;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.jspecify.annotations.Nullable;

/** Rules of JSON Schema on the elements of arrays. */
final class SchemaItemRules {
  private SchemaItemRules() {}

  /** {@code uniqueItems: true}. */
  record UniqueItems() implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      return !value.isArray() || firstDuplicate(value) == null;
    }

    private static @Nullable RawValue firstDuplicate(RawValue array) {
      var seen = new TreeSet<>(UnorderedFields.ORDER);
      var elements = array.asDocument().elements();
      Allowance allowance = Allowance.current();
      while (elements.next()) {
        allowance.step();
        if (!seen.add(UnorderedFields.sorted(elements.value()))) {
          return elements.value();
        }
      }
      return null;
    }

    @Override
    public List<BsonDocument> explain(RawValue value, RawDocument schema) {
      return FailureText.ofKeyword("uniqueItems", schema)
          .reason("found a duplicate item")
          .considered(value)
          .add("duplicatedValue", firstDuplicate(value).toBsonValue())
          .list();
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
    public List<BsonDocument> explain(RawValue value, RawDocument schema) {
      var failures = new BsonArray();
      var elements = value.asDocument().elements();
      for (int i = 0; i < schemas.size() && elements.next(); i++) {
        if (!schemas.get(i).accepts(elements.value())) {
          failures.add(
              new BsonDocument("itemIndex", new BsonInt64(i))
                  .append("details", schemas.get(i).explain(elements.value())));
        }
      }
      return FailureText.of("items").add("details", failures).list();
    }
  }

  /** {@code items: {...}} and {@code additionalItems}: every element from a position on. */
  record ItemsFrom(String keyword, int start, JsonSchema schema) implements SchemaRule {
    @Override
    public boolean accepts(RawValue value) {
      return !value.isArray() || firstFailing(value) < 0;
    }

    private int firstFailing(RawValue array) {
      var elements = array.asDocument().elements();
      for (int i = 0; elements.next(); i++) {
        if (i >= start && !schema.accepts(elements.value())) {
          return i;
        }
      }
      return -1;
    }

    @Override
    public List<BsonDocument> explain(RawValue value, RawDocument parent) {
      var values = value.asDocument().toValues();
      if (!parent.field(keyword).isDocument()) {
        var additional = new BsonArray();
        values.subList(start, values.size()).forEach(item -> additional.add(item.toBsonValue()));
        return FailureText.ofKeyword(keyword, parent)
            .reason("found additional items")
            .add("additionalItems", additional)
            .list();
      }
      int index = firstFailing(value);
      String kind = keyword.equals("items") ? "item" : "additional item";
      return FailureText.of(keyword)
          .annotations(schema.source())
          .reason("At least one " + kind + " did not match the sub-schema")
          .add("itemIndex", new BsonInt64(index))
          .add("details", schema.explain(values.get(index)))
          .list();
    }
  }
}
