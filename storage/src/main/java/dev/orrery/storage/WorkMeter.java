package dev.orrery.storage;

import java.util.function.IntConsumer;

/**
 * Counts the work that storage does for one request; request units are priced from it, and explain
 * prints it. Not shared between threads.
 */
public final class WorkMeter {
  private long keysExamined;
  private long documentsLoaded;
  private long bytesLoaded;
  private long documentsWritten;
  private long bytesWritten;
  private long termsAdded;
  private long termsRemoved;
  private IntConsumer beforeLarge = bytes -> {};

  /** Lets {@code room} hear of large documents before they are loaded; it may wait, or throw. */
  public void askBeforeLarge(IntConsumer room) {
    beforeLarge = room;
  }

  /** Who is told how large a large document is before it is loaded. */
  public IntConsumer beforeLarge() {
    return beforeLarge;
  }

  public void examineKeys(long count) {
    keysExamined += count;
  }

  public void loadDocument(int bytes) {
    documentsLoaded++;
    bytesLoaded += bytes;
  }

  public void writeDocument(int bytes, int addedTerms, int removedTerms) {
    documentsWritten++;
    bytesWritten += bytes;
    termsAdded += addedTerms;
    termsRemoved += removedTerms;
  }

  /** Adds what another meter counted, such as that of one partition's part of a request. */
  public void add(WorkMeter other) {
    keysExamined += other.keysExamined;
    documentsLoaded += other.documentsLoaded;
    bytesLoaded += other.bytesLoaded;
    documentsWritten += other.documentsWritten;
    bytesWritten += other.bytesWritten;
    termsAdded += other.termsAdded;
    termsRemoved += other.termsRemoved;
  }

  public long keysExamined() {
    return keysExamined;
  }

  public long documentsLoaded() {
    return documentsLoaded;
  }

  public long bytesLoaded() {
    return bytesLoaded;
  }

  public long documentsWritten() {
    return documentsWritten;
  }

  public long bytesWritten() {
    return bytesWritten;
  }

  /** Index entries that writes added. */
  public long termsAdded() {
    return termsAdded;
  }

  /** Index entries that writes removed. */
  public long termsRemoved() {
    return termsRemoved;
  }
}
