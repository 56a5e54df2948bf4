package dev.orrery.storage.physical;

import dev.orrery.value.RawDocument;
import java.util.function.Predicate;

/**
 * How a cursor came from the partition that it was opened on to the one that it reads now: which
 * documents there are its own, and under which ids it knows them.
 */
final class Lineage {
  /** Of a cursor that still reads where it was opened. */
  static final Lineage NONE = new Lineage(null, null, null);

  private final Lineage before;
  private final Successor step;
  private final Predicate<RawDocument> filter;

  private Lineage(Lineage before, Successor step, Predicate<RawDocument> filter) {
    this.before = before;
    this.step = step;
    this.filter = filter;
  }

  Lineage then(Successor successor) {
    Predicate<RawDocument> own = successor.cameFromParent();
    Predicate<RawDocument> both = filter == null || own == null ? own : filter.and(own);
    return new Lineage(this, successor, both == null ? filter : both);
  }

  /** Whether other documents than the cursor's own are there. */
  boolean isShared() {
    return filter != null;
  }

  boolean isOwn(RawDocument document) {
    return filter == null || filter.test(document);
  }

  /** The present id of a record that had this id where the cursor was opened. */
  long recordId(long original) {
    return step == null ? original : step.recordId(before.recordId(original));
  }

  /** The id that a record had where the cursor was opened. */
  long original(long recordId) {
    if (step == null) {
      return recordId;
    }
    boolean isSame = step.renumbering() == null;
    return before.original(isSame ? recordId : step.renumbering().revert(recordId));
  }
}
