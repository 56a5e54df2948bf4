package dev.orrery.server.console.history;

import dev.orrery.server.operation.RequestTraffic;
import dev.orrery.server.operation.Traffic;
import dev.orrery.value.Namespace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The last minutes by seconds: of the server, and of each collection lately used. Thread-safe. */
public final class LiveTraffic {
  /** Collections whose seconds are kept; some 15 kB each. */
  private static final int COLLECTIONS_MAX = 500;

  private final RequestTraffic traffic;
  private final LiveSeries server = new LiveSeries();
  private final Map<Namespace, LiveSeries> collections = new HashMap<>();
  private final Map<Namespace, Long> totals = new HashMap<>();
  private final Map<Namespace, Long> usedAt = new HashMap<>();
  private long last;

  public LiveTraffic(RequestTraffic traffic) {
    this.traffic = traffic;
  }

  /**
   * What happened in one second.
   *
   * @param medianMillis and {@code slowMillis}, which one in a hundred took longer than; 0 when
   *     there was no request
   */
  public record Point(
      long epochSecond,
      double units,
      long ok,
      long throttled,
      long failed,
      double medianMillis,
      double slowMillis) {
    /** Both together; of durations the longer, since nobody can add up percentiles. */
    Point with(Point other) {
      return new Point(
          epochSecond,
          units + other.units,
          ok + other.ok,
          throttled + other.throttled,
          failed + other.failed,
          Math.max(medianMillis, other.medianMillis),
          Math.max(slowMillis, other.slowMillis));
    }
  }

  /** There is nothing before that second. */
  synchronized void begin(long epochSecond) {
    last = epochSecond;
  }

  synchronized void add(long epochSecond, Map<Namespace, Double> units) {
    last = epochSecond;
    var kinds = new ArrayList<Traffic>();
    for (RequestTraffic.Kind kind : RequestTraffic.Kind.values()) {
      kinds.add(traffic.of(kind));
    }
    double all = units.values().stream().mapToDouble(Double::doubleValue).sum();
    server.add(epochSecond, all, kinds);
    traffic.forEach((name, of) -> addCollection(epochSecond, name, of, units));
    usedAt
        .entrySet()
        .removeIf(
            used -> {
              boolean isOld = epochSecond - used.getValue() > LiveSeries.SECONDS;
              if (isOld) {
                collections.remove(used.getKey());
              }
              return isOld;
            });
    totals.keySet().retainAll(names());
  }

  private Set<Namespace> names() {
    var names = new HashSet<Namespace>();
    traffic.forEach((name, of) -> names.add(name));
    return names;
  }

  private void addCollection(
      long epochSecond, Namespace name, Traffic of, Map<Namespace, Double> units) {
    long total = of.total();
    Long before = totals.put(name, total);
    double spent = units.getOrDefault(name, 0.0);
    if (spent > 0 || before == null || before != total) {
      if (!usedAt.containsKey(name) && usedAt.size() >= COLLECTIONS_MAX) {
        return;
      }
      usedAt.put(name, epochSecond);
    }
    if (usedAt.containsKey(name)) {
      collections
          .computeIfAbsent(name, absent -> new LiveSeries())
          .add(epochSecond, spent, List.of(of));
    }
  }

  /** The last second that is known as a whole. */
  public synchronized long lastSecond() {
    return last;
  }

  public synchronized List<Point> ofServer() {
    return server.list(last);
  }

  public synchronized List<Point> of(Namespace collection) {
    LiveSeries series = collections.get(collection);
    return series == null ? List.of() : series.list(last);
  }

  /** Of all collections of a database together. */
  public synchronized List<Point> of(String database) {
    var sums = new TreeMap<Long, Point>();
    collections.forEach(
        (name, series) -> {
          if (name.database().equals(database)) {
            for (Point point : series.list(last)) {
              sums.merge(point.epochSecond(), point, Point::with);
            }
          }
        });
    return List.copyOf(sums.values());
  }
}
