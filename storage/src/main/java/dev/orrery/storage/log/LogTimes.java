package dev.orrery.storage.log;

import java.util.List;

/** Where in the log cluster times lie. */
final class LogTimes {
  private LogTimes() {}

  /**
   * What is known of the group before the oldest one from which on none is missing.
   *
   * @param segments all of them in order, at least one
   */
  static Stamp unbroken(List<Segment> segments) {
    int first = segments.size() - 1;
    while (first > 0
        && segments.get(first - 1).lastLsn() + 1 == segments.get(first).header().firstLsn()) {
      first--;
    }
    return segments.get(first).header().before();
  }

  /** The LSN of the first group that is later than that time; 0 while there is none. */
  static long lsnAfter(List<Segment> segments, long time) {
    for (Segment segment : segments) {
      if (segment.last().time() > time) {
        return segment.lsnAfter(time);
      }
    }
    return 0;
  }
}
