package dev.orrery.language.limit;

import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;

/**
 * What documents take that are bytes before they become objects, which may be ten times as much.
 */
public final class DecodedSize {
  private static final int ELEMENT_BYTES = 96;

  private DecodedSize() {}

  /**
   * Holds the memory that a document will take as objects, as soon as there is so much. What it
   * holds is to be released; nothing if the document is small.
   */
  public static long hold(RawDocument document, Allowance allowance) {
    if (Allowance.isSmall(document.length())) {
      return 0;
    }
    long bytes = document.length() + ELEMENT_BYTES * elements(document);
    allowance.await(bytes);
    return bytes;
  }

  /** How many elements there are, in all levels. */
  public static long elements(RawDocument document) {
    long count = 0;
    for (RawElements each = document.elements(); each.next(); ) {
      count++;
      if (each.type() == RawTypes.DOCUMENT || each.type() == RawTypes.ARRAY) {
        count += elements(each.value().asDocument());
      }
    }
    return count;
  }
}
