package dev.orrery.storage.postgres;

import dev.orrery.storage.StoredDocument;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Documents that came with the entries of an index, for those who fetch them at once: so a page of
 * an index scan is one question. What is not fetched soon is read again.
 */
final class Prefetched {
  private static final long YOUNG_NANOS = 100_000_000;

  private final Map<Long, StoredDocument> documents = new ConcurrentHashMap<>();
  private volatile long time;
  private volatile boolean isWanted = true;

  /** Takes the place of what was there. */
  void put(Iterable<StoredDocument> found) {
    documents.clear();
    found.forEach(one -> documents.put(one.recordId(), one));
    time = System.nanoTime();
    isWanted = false;
  }

  /** Whether the last ones were asked for, so that it pays to get more. */
  boolean isWanted() {
    return isWanted;
  }

  /** The document of a record, once; null if it is not at hand. */
  @Nullable StoredDocument take(long record) {
    isWanted = true;
    if (documents.isEmpty() || System.nanoTime() - time > YOUNG_NANOS) {
      return null;
    }
    return documents.remove(record);
  }
}
