package dev.orrery.storage;

import dev.orrery.value.RawDocument;
import org.jspecify.annotations.Nullable;

/** One change to one document, with the precondition under which it may happen. */
public sealed interface WriteOperation {
  /** Where the document is. */
  CollectionStore collection();

  /**
   * A new document; no document with its primary key or its unique keys may exist.
   *
   * @param key that of the document in the collection
   */
  record Insert(CollectionStore collection, RawDocument document, WriteKey key)
      implements WriteOperation {
    public Insert(CollectionStore collection, RawDocument document) {
      this(collection, document, collection.keyOf(document));
    }
  }

  /**
   * A new body for a document that must still be the version that was read. Its primary key stays
   * the same, or the whole batch is refused with an exception: a document that moves to another
   * partition key is a delete and an insert in one batch.
   *
   * @param delta what followers of changes are told of the difference, as the writer sees it; null
   *     says that the document was replaced as a whole
   */
  record Replace(
      CollectionStore collection,
      StoredDocument before,
      RawDocument after,
      @Nullable RawDocument delta)
      implements WriteOperation {
    public Replace(CollectionStore collection, StoredDocument before, RawDocument after) {
      this(collection, before, after, null);
    }
  }

  /** The end of a document that must still be the version that was read. */
  record Delete(CollectionStore collection, StoredDocument before) implements WriteOperation {}
}
