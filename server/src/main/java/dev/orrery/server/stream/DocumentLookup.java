package dev.orrery.server.stream;

import dev.orrery.storage.CollectionIdentity;
import dev.orrery.value.RawDocument;
import org.jspecify.annotations.Nullable;

/** Finds documents as they are now. */
public interface DocumentLookup {
  /**
   * Null when the document is gone, or its collection is another one by now.
   *
   * @param document an earlier version of it
   */
  @Nullable RawDocument find(CollectionIdentity collection, RawDocument document);
}
