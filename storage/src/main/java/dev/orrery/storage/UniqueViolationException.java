package dev.orrery.storage;

import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.RawDocument;

/** Two documents have the same key, so a unique index over them cannot be built. */
public final class UniqueViolationException extends RuntimeException {
  private final IndexSpec index;
  private final byte[] key;
  private final RawDocument document;

  public UniqueViolationException(IndexSpec index, byte[] key, RawDocument document) {
    super("duplicate key for index " + index.name(), null, false, false);
    this.index = index;
    this.key = key;
    this.document = document;
  }

  public IndexSpec index() {
    return index;
  }

  /** The key that two documents share, encoded. */
  public byte[] key() {
    return key;
  }

  /** One of the documents. */
  public RawDocument document() {
    return document;
  }
}
