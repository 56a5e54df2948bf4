package dev.orrery.server.plan;

/** What one node of a plan did in one run; explain prints it. */
final class StageStatistics {
  long advanced;
  long skipped;
  long keysExamined;
  long seeks;
  long duplicatesTested;
  long duplicatesDropped;
  long documentsExamined;
  long bytesSorted;
  long spills;
  long bytesSpilled;
  long nanos;
  boolean isAtEnd;

  /** MongoDB's unit of work: every call that gives a row, skips one or finds the end. */
  long works() {
    return advanced + skipped + (isAtEnd ? 1 : 0);
  }
}
