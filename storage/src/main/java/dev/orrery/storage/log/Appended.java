package dev.orrery.storage.log;

/** Where a group went: its stamp, and the position of each of its records in their order. */
public record Appended(Stamp stamp, long[] positions) {
  public long lsn() {
    return stamp.lsn();
  }
}
