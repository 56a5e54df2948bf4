package dev.orrery.storage;

import org.jspecify.annotations.Nullable;

/**
 * Records that are to be read in one go, and then what was found. Can be used again and again. Not
 * shared between threads.
 */
public final class Fetch {
  private final long[] ids;
  private final @Nullable StoredDocument[] documents;
  private int size;

  /**
   * @param capacity how many records at the most
   */
  public Fetch(int capacity) {
    this.ids = new long[capacity];
    this.documents = new StoredDocument[capacity];
  }

  /** Begins anew. */
  public void clear() {
    size = 0;
  }

  public boolean isFull() {
    return size == ids.length;
  }

  public int size() {
    return size;
  }

  public void add(long recordId) {
    documents[size] = null;
    ids[size++] = recordId;
  }

  public long recordId(int index) {
    return ids[index];
  }

  /** For the engine. */
  public void found(int index, @Nullable StoredDocument document) {
    documents[index] = document;
  }

  /** What was found; null when there is no such document (any more). Forgotten by this call. */
  public @Nullable StoredDocument take(int index) {
    StoredDocument document = documents[index];
    documents[index] = null;
    return document;
  }
}
