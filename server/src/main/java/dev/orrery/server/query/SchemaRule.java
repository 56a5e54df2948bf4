package dev.orrery.server.query;

import dev.orrery.storage.value.RawValue;

/** What one keyword of a JSON Schema asks of a value; immutable. */
interface SchemaRule {
  boolean accepts(RawValue value);

  /** The keyword that the rule was written with. */
  String keyword();
}
