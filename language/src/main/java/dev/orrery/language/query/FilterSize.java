package dev.orrery.language.query;

import dev.orrery.language.limit.Allowance;
import dev.orrery.value.RawDocument;
import java.util.List;

/** Counts what filters do with large documents, and large filters with any. */
final class FilterSize {
  /** Documents up to here are looked through in no time. */
  private static final int SMALL_BYTES_MAX = 4096;

  /** How many bytes are looked through in about the time of a step. */
  private static final int BYTES_PER_STEP = 128;

  private FilterSize() {}

  static int of(List<Filter> children) {
    long size = 1;
    for (int i = 0; i < children.size(); i++) {
      size += children.get(i).size();
    }
    return (int) Math.min(size, Integer.MAX_VALUE);
  }

  /** Counts that a condition looks for a field in a document. */
  static void count(RawDocument document) {
    if (document.length() > SMALL_BYTES_MAX) {
      Allowance.current().steps(document.length() / BYTES_PER_STEP);
    }
  }
}
