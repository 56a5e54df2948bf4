package dev.orrery.storage;

import java.util.List;

/**
 * What a repair of a collection found and did.
 *
 * @param found one line for each fault there was
 * @param remaining one line for each fault that could not be mended
 * @param missingEntries index entries that documents should have had and had not
 * @param extraEntries index entries that no document had
 * @param givenUp the documents that could not be read, which are no more
 */
public record RepairResult(
    List<String> found,
    List<String> remaining,
    long missingEntries,
    long extraEntries,
    List<GivenUp> givenUp) {
  public RepairResult {
    found = List.copyOf(found);
    remaining = List.copyOf(remaining);
    givenUp = List.copyOf(givenUp);
  }

  /**
   * A document that could not be read.
   *
   * @param what which one it was, as far as that is known, and what was wrong with it
   */
  public record GivenUp(long recordId, String what) {}

  /** Whether something was wrong and no longer is. */
  public boolean isRepaired() {
    return !found.isEmpty() && remaining.isEmpty();
  }
}
