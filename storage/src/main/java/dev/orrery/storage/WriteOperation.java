package dev.orrery.storage;

import dev.orrery.value.RawDocument;

/** One change to one document, with the precondition under which it may happen. */
public sealed interface WriteOperation {
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
   */
  record Replace(CollectionStore collection, StoredDocument before, RawDocument after)
      implements WriteOperation {}

  /** The end of a document that must still be the version that was read. */
  record Delete(CollectionStore collection, StoredDocument before) implements WriteOperation {}
}
