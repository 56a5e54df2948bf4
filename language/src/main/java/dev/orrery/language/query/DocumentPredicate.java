package dev.orrery.language.query;

import dev.orrery.value.RawDocument;
import org.bson.BsonDocument;

/** A condition on a document as a whole, such as {@code $expr}; immutable. */
public interface DocumentPredicate {
  boolean test(RawDocument document);

  /** The condition as a filter would write it: {@code {$expr: ...}}. */
  BsonDocument document();
}
