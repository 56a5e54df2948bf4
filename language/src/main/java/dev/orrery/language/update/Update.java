package dev.orrery.language.update;

import dev.orrery.value.RawDocument;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * A change to documents, compiled once by {@link UpdateParser} and applied as often as wanted.
 * Immutable and shared between threads. What is wrong with the update itself is found by parsing;
 * {@link #apply} fails where the update does not fit a document, to which findAndModify prefixes
 * "Plan executor error during findAndModify :: caused by :: ".
 */
public abstract sealed class Update permits OperatorUpdate, ReplacementUpdate, PipelineUpdate {
  /** The filter matched no element of an array. */
  public static final int NO_ARRAY_INDEX = -1;

  /**
   * A document after an update, and whether that counts as a modification.
   *
   * @param delta what it changed, as followers of changes are told; null if it is told as a whole
   */
  public record Result(RawDocument document, boolean isModified, @Nullable RawDocument delta) {
    Result(RawDocument document, boolean isModified) {
      this(document, isModified, null);
    }
  }

  /**
   * The document after the change, valid for storage.
   *
   * @param arrayIndex the position that {@code $} stands for, as the filter's match details tell,
   *     or {@link #NO_ARRAY_INDEX}
   */
  public abstract Result apply(RawDocument before, int arrayIndex, UpdateClock clock);

  /** Whether the update needs to know which array element the filter matched. */
  public boolean isPositional() {
    return false;
  }

  /** Whether an upsert takes every equality of the filter into the new document, not only _id. */
  boolean keepsFilterFields() {
    return true;
  }

  /**
   * What is inserted when nothing matches; not checked for storage yet.
   *
   * @param start the fields that the filter gives, to be changed as the update likes
   */
  abstract BsonDocument inserted(BsonDocument start, UpdateClock clock);
}
