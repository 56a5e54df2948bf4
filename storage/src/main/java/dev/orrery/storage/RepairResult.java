package dev.orrery.storage;

import java.util.List;

/**
 * What a repair of a collection found and did.
 *
 * @param found one line for each fault there was
 * @param remaining one line for each fault that could not be mended
 * @param missingEntries index entries that documents should have had and had not
 * @param extraEntries index entries that no document had
 */
public record RepairResult(
    List<String> found, List<String> remaining, long missingEntries, long extraEntries) {
  public RepairResult {
    found = List.copyOf(found);
    remaining = List.copyOf(remaining);
  }

  /** Whether something was wrong and no longer is. */
  public boolean isRepaired() {
    return !found.isEmpty() && remaining.isEmpty();
  }
}
