package dev.orrery.language.query;

import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.List;
import org.bson.BsonDocument;

/** What one keyword of a JSON Schema asks of a value; immutable. */
interface SchemaRule {
  boolean accepts(RawValue value);

  /**
   * Why a value was not accepted, in the words of a validation error's details.
   *
   * @param schema the schema that holds the keyword
   */
  List<BsonDocument> explain(RawValue value, RawDocument schema);
}
