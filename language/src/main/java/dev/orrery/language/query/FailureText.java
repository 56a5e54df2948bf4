package dev.orrery.language.query;

import dev.orrery.language.error.BsonText;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/** Builds one entry of a validation error's details, with the fields in MongoDB's order. */
final class FailureText {
  /** How many values of a path are listed at most. */
  static final int VALUES_MAX = 10;

  private final BsonDocument document = new BsonDocument();

  private FailureText() {}

  static FailureText of(String operator) {
    return new FailureText().add("operatorName", new BsonString(operator));
  }

  /** An entry that no operator stands for, such as one property among several. */
  static FailureText entry(String name, BsonValue value) {
    return new FailureText().add(name, value);
  }

  /** The failure of a keyword, with the keyword as its schema has it. */
  static FailureText ofKeyword(String keyword, RawDocument schema) {
    return of(keyword).specifiedAs(new BsonDocument(keyword, schema.field(keyword).toBsonValue()));
  }

  FailureText specifiedAs(BsonDocument specification) {
    return add("specifiedAs", specification);
  }

  FailureText reason(String reason) {
    return document.containsKey("reason") ? this : add("reason", new BsonString(reason));
  }

  FailureText considered(RawValue value) {
    return add("consideredValue", value.toBsonValue());
  }

  /** The values that a path led to: one by itself, several in an array. */
  FailureText considered(List<RawValue> values) {
    if (values.size() == 1) {
      return considered(values.get(0));
    }
    var array = new BsonArray();
    values.stream().limit(VALUES_MAX).forEach(value -> array.add(value.toBsonValue()));
    add("consideredValues", array);
    return values.size() > VALUES_MAX ? add("consideredValuesTruncated", BsonBoolean.TRUE) : this;
  }

  FailureText consideredTypes(List<RawValue> values) {
    var names = new TreeSet<String>();
    values.forEach(value -> names.add(BsonText.typeName(value.toBsonValue())));
    return names.isEmpty() ? this : addNames("consideredType", names);
  }

  /** One name under {@code field}, several under its plural. */
  FailureText addNames(String field, Collection<String> names) {
    return names.size() == 1
        ? add(field, new BsonString(names.iterator().next()))
        : add(field + "s", strings(names));
  }

  static BsonArray strings(Collection<String> texts) {
    var array = new BsonArray();
    texts.forEach(text -> array.add(new BsonString(text)));
    return array;
  }

  /** The title and description of a schema, which its failures repeat. */
  FailureText annotations(RawDocument schema) {
    for (String keyword : List.of("title", "description")) {
      var value = schema.field(keyword);
      if (value != null) {
        add(keyword, value.toBsonValue());
      }
    }
    return this;
  }

  FailureText add(String name, BsonValue value) {
    document.append(name, value);
    return this;
  }

  BsonDocument build() {
    return document;
  }

  List<BsonDocument> list() {
    return List.of(document);
  }
}
