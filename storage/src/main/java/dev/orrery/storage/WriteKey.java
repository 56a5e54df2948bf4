package dev.orrery.storage;

import dev.orrery.value.RawValue;

/**
 * What a new document is kept under, worked out once by its collection ({@link
 * CollectionStore#keyOf}) for all who look at it until it is committed. Only an engine knows what
 * else is in it; a collection knows its own keys only.
 */
public interface WriteKey {
  /**
   * The partition key's value, or an array that stands on its path, with which the document is
   * going to be refused; null when it is missing or the collection has none.
   */
  RawValue partitionKey();

  /** The effective partition key, which says to which range the document belongs. */
  String epk();
}
