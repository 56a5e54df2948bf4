package dev.orrery.language.query;

import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;

/**
 * One operator applied to a field while a filter is parsed: {@code {path: {name: argument, ...}}}.
 * {@code siblings} is the whole operator document, for operators written in two fields.
 */
record OperatorCall(
    FieldPath path, String name, RawValue argument, RawDocument siblings, Scope scope) {

  /** What holds for all operators of one (sub)document: the context, and how deep it is. */
  record Scope(FilterContext context, boolean isSubdocument) {
    Scope inSubdocument() {
      return new Scope(context, true);
    }
  }

  Filter.Field filter(ValuePredicate predicate) {
    return new Filter.Field(path, predicate);
  }
}
