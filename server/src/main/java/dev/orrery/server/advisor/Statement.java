package dev.orrery.server.advisor;

import dev.orrery.language.query.Filter;
import dev.orrery.value.RawDocument;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One thing that a request asks for.
 *
 * @param filter which documents it is about; null for a new document
 * @param document a new document, or what replaces one; null for others
 * @param changed the fields that an update names
 * @param work what it did when it was recorded
 */
record Statement(
    Kind kind,
    @Nullable Filter filter,
    @Nullable RawDocument document,
    List<String> changed,
    Work work) {
  /** Of one document or of all that match. */
  enum Kind {
    READ(false, false),
    /** The next batch of a read. */
    READ_ON(false, false),
    INSERT(true, false),
    UPDATE_ONE(true, true),
    UPDATE_MANY(true, false),
    DELETE_ONE(true, true),
    DELETE_MANY(true, false);

    final boolean isWrite;

    /** Cosmos DB wants the key in its filter. */
    final boolean needsKey;

    Kind(boolean isWrite, boolean needsKey) {
      this.isWrite = isWrite;
      this.needsKey = needsKey;
    }
  }

  /** How the documents were found when it was recorded. */
  enum Access {
    /** By the primary key alone. */
    POINT,
    /** By an index that any key leaves as it is. */
    INDEX,
    /** By reading everything that the present key left. */
    SCAN,
    /** By the index on the present key. */
    KEY_INDEX
  }

  /**
   * @param price in twenty-firsts of a request unit
   * @param results how many documents it gave
   * @param limit how many it wanted at the most before it stopped; 0 for all, as where it sorted
   */
  record Work(
      double price,
      Access access,
      double bytesLoaded,
      double partitions,
      double results,
      int limit) {}
}
