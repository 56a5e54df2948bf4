package dev.orrery.storage;

/**
 * Documents of one partition in natural order. A document that is there for the whole scan is seen
 * exactly once; one that comes, changes or goes meanwhile may or may not be seen. When the
 * partition is split the cursor goes on with its children. Not shared between threads.
 */
public interface RecordCursor {
  /** The next document, or null at the end; more may follow later if documents are added. */
  StoredDocument next(WorkMeter meter);
}
