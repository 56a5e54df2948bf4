package dev.orrery.server.transfer.source;

import dev.orrery.value.RawDocument;

/** One record of a source as it lies there; decoded only when somebody wants the document. */
public interface SourceRecord {
  /** Where it begins, in the words of an error message. */
  String place();

  /** How much memory it holds, about. */
  int length();

  RawDocument document() throws BadRecordException;
}
