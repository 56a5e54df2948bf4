package dev.orrery.server.command;

import dev.orrery.language.limit.DecodedSize;
import dev.orrery.value.RawDocument;

/**
 * What a request takes beside its bytes: a large filter or pipeline becomes objects, which become
 * conditions, which become bounds of indexes. Measured, roughly, and counted by the elements.
 */
final class RequestWeight {
  /** An element of a list of 300,000 took as much, from its object to its bounds. */
  private static final int ELEMENT_BYTES = 120;

  private static final int STATEMENT_BYTES = 128;

  /** What is explained is shown as conditions, as a plan and as bounds. */
  private static final int EXPLAINED = 3;

  private RequestWeight() {}

  /** The bytes of heap, until the request and its cursor end. */
  static long of(Request request, String command) {
    if (command.equals("insert")) {
      return 0; // its documents stay bytes
    }
    long largest = 0;
    long statements = 0;
    for (RequestSequence sequence : request.sequences()) {
      statements += sequence.documents().size();
      for (RawDocument document : sequence.documents()) { // worked on one after another
        largest = Math.max(largest, of(document));
      }
    }
    long body = of(request.body());
    int times = command.equals("explain") ? EXPLAINED : 1;
    return times * (body + largest) + STATEMENT_BYTES * statements;
  }

  static long of(RawDocument document) {
    return document.length() + ELEMENT_BYTES * DecodedSize.elements(document);
  }
}
