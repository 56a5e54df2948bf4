package dev.orrery.storage;

import dev.orrery.lane.Lane;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Documents of one partition in natural order. A document that is there for the whole scan is seen
 * exactly once; one that comes, changes or goes meanwhile may or may not be seen. When the
 * partition is split the cursor goes on with its children. Not shared between threads.
 */
public interface RecordCursor {
  /**
   * The next of the documents that are at hand, or null when there is none: then {@link #load}
   * tells whether there are more.
   */
  @Nullable StoredDocument next(WorkMeter meter);

  /** Gets more; false at the end, after which more may follow later if documents are added. */
  CompletionStage<Boolean> load(WorkMeter meter);

  /** The next document, or null at the end; waits where this thread may. */
  default @Nullable StoredDocument awaitNext(WorkMeter meter) {
    StoredDocument document = next(meter);
    while (document == null && Lane.await(load(meter))) {
      document = next(meter);
    }
    return document;
  }
}
