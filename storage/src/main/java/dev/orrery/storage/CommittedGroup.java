package dev.orrery.storage;

import java.util.List;

/**
 * What one commit changed, in the order of its operations.
 *
 * @param time its cluster time, later than that of every group before it
 * @param millis when it was committed, by the wall clock
 * @param bytes about how much memory it takes
 */
public record CommittedGroup(long time, long millis, List<Change> changes, int bytes) {
  public CommittedGroup {
    changes = List.copyOf(changes);
  }
}
