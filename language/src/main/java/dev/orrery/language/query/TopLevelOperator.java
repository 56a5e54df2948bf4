package dev.orrery.language.query;

import dev.orrery.value.RawValue;

/** How one operator that stands in place of a field is parsed. */
interface TopLevelOperator {
  /** The filter it stands for, or null if it asks for nothing ({@code $comment}). */
  Filter parse(String name, RawValue argument, OperatorCall.Scope scope);
}
