package dev.orrery.server.update;

import dev.orrery.storage.value.RawDocument;
import org.bson.BsonDocument;

/**
 * A change to documents, compiled once by {@link UpdateParser} and applied as often as wanted.
 * Immutable and shared between threads. What is wrong with the update itself is found by parsing;
 * {@link #apply} fails where the update does not fit a document, to which findAndModify prefixes
 * "Plan executor error during findAndModify :: caused by :: ".
 */
public abstract sealed class Update permits OperatorUpdate, ReplacementUpdate, PipelineUpdate {
  /** The filter matched no element of an array. */
  public static final int NO_ARRAY_INDEX = -1;

  /** A document after an update, and whether that counts as a modification. */
  public record Result(RawDocument document, boolean isModified) {}

  /**
   * The document after the change, valid for storage.
   *
   * @param arrayIndex the position that {@code $} stands for, as the filter's match details tell,
   *     or {@link #NO_ARRAY_INDEX}
   */
  public final Result apply(RawDocument before, int arrayIndex, UpdateClock clock) {
    var document = before.toBsonDocument();
    if (!edit(new Edit(document, arrayIndex, clock, false), before)) {
      return new Result(before, false);
    }
    var after = RawDocument.of(DocumentRules.withIdInFront(document));
    DocumentRules.requireSize(after);
    return new Result(after, true);
  }

  /** Whether the update needs to know which array element the filter matched. */
  public abstract boolean isPositional();

  /** Whether an upsert takes every equality of the filter into the new document, not only _id. */
  abstract boolean keepsFilterFields();

  /**
   * Changes the document that {@code edit} holds, of which {@code before} is the original; false if
   * there was nothing to change.
   */
  abstract boolean edit(Edit edit, RawDocument before);

  /** Changes a document that will be inserted; it is validated later, as a whole. */
  final void editForInsert(BsonDocument document, UpdateClock clock) {
    edit(new Edit(document, NO_ARRAY_INDEX, clock, true), RawDocument.of(document));
  }
}
