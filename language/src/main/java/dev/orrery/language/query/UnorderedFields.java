package dev.orrery.language.query;

import dev.orrery.language.expression.WatchedOrder;
import dev.orrery.value.RawValue;
import java.util.Comparator;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** Equality as JSON Schema means it: the order of a document's fields does not count. */
final class UnorderedFields {
  /** Orders values that {@link #sorted} has put into a common form. */
  static final Comparator<RawValue> ORDER = WatchedOrder.CANONICAL.rawValues();

  private UnorderedFields() {}

  /** The value with the fields of all documents in it sorted by name. */
  static RawValue sorted(RawValue value) {
    return value.isDocument() || value.isArray() ? RawValue.of(sorted(value.toBsonValue())) : value;
  }

  private static BsonValue sorted(BsonValue value) {
    if (value.isArray()) {
      var array = new BsonArray(value.asArray().size());
      value.asArray().forEach(element -> array.add(sorted(element)));
      return array;
    }
    if (!value.isDocument()) {
      return value;
    }
    var document = new BsonDocument();
    new TreeMap<>(value.asDocument())
        .forEach((name, field) -> document.append(name, sorted(field)));
    return document;
  }
}
