package dev.orrery.server.query;

import dev.orrery.storage.value.RawDocument;

/** A condition on a document as a whole, such as {@code $expr}; immutable. */
public interface DocumentPredicate {
  boolean test(RawDocument document);
}
