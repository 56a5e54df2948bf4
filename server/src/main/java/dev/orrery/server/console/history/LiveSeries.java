package dev.orrery.server.console.history;

import dev.orrery.server.operation.DurationCounts;
import dev.orrery.server.operation.Outcome;
import dev.orrery.server.operation.Traffic;
import java.util.ArrayList;
import java.util.List;

/**
 * What came in lately, second by second: of the whole server, or of one collection. Used under the
 * lock of its owner.
 */
final class LiveSeries {
  static final int SECONDS = 180;

  private static final double NANOS_PER_MILLI = 1e6;

  private final LiveTraffic.Point[] points = new LiveTraffic.Point[SECONDS];
  private long[] counts = new long[DurationCounts.BUCKETS];
  private final long[] outcomes = new long[Outcome.values().length];
  private boolean isBegun;

  /** Adds a second, with all that ended since the last one. */
  void add(long epochSecond, double units, List<Traffic> traffics) {
    long[] now = new long[DurationCounts.BUCKETS];
    long[] ended = new long[outcomes.length];
    for (Traffic traffic : traffics) {
      long[] part = traffic.latency().counts();
      for (int i = 0; i < now.length; i++) {
        now[i] += part[i];
      }
      for (Outcome outcome : Outcome.values()) {
        ended[outcome.ordinal()] += traffic.count(outcome);
      }
    }
    long[] fresh = new long[now.length];
    long[] news = new long[ended.length];
    for (int i = 0; i < now.length && isBegun; i++) {
      fresh[i] = Math.max(0, now[i] - counts[i]);
    }
    for (int i = 0; i < ended.length; i++) {
      news[i] = isBegun ? Math.max(0, ended[i] - outcomes[i]) : 0;
      outcomes[i] = ended[i];
    }
    counts = now;
    isBegun = true;
    points[(int) (epochSecond % SECONDS)] =
        new LiveTraffic.Point(
            epochSecond,
            units,
            news[Outcome.OK.ordinal()],
            news[Outcome.THROTTLED.ordinal()],
            news[Outcome.FAILED.ordinal()] + news[Outcome.BROKEN.ordinal()],
            DurationCounts.nanosAt(fresh, 0.5) / NANOS_PER_MILLI,
            DurationCounts.nanosAt(fresh, 0.99) / NANOS_PER_MILLI);
  }

  /** Each second that is remembered, the oldest first; seconds without any are left out. */
  List<LiveTraffic.Point> list(long lastSecond) {
    var list = new ArrayList<LiveTraffic.Point>();
    for (long second = lastSecond - SECONDS + 1; second <= lastSecond; second++) {
      LiveTraffic.Point point = points[(int) (second % SECONDS)];
      if (point != null && point.epochSecond() == second) {
        list.add(point);
      }
    }
    return list;
  }
}
