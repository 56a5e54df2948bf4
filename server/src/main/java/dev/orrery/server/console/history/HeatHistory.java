package dev.orrery.server.console.history;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.LongFunction;

/**
 * The load of partitions over time, in bounded memory: of those that ever spent anything, up to a
 * number that is a few megabytes. Thread-safe.
 */
public final class HeatHistory {
  /** Partitions that are remembered; of further ones nothing is. */
  static final int PARTITIONS_MAX = 2_000;

  /** What lasts only minutes is not worth a file. */
  private static final Resolution[] KEPT = {Resolution.MINUTE, Resolution.HOUR};

  private final Map<UUID, Map<Integer, Row>> collections = new HashMap<>();
  private int partitions;

  /** The load of one partition in every resolution. */
  private static final class Row {
    final Map<Resolution, HeatRing> rings = new EnumMap<>(Resolution.class);
    long refused;

    Row() {
      for (Resolution resolution : Resolution.values()) {
        rings.put(resolution, new HeatRing(resolution));
      }
    }
  }

  /** What a partition did in one second; {@code refused} counts from the start of the server. */
  record Second(long epochSecond, double units, double limit, long refused) {}

  synchronized void add(UUID collection, int partition, Second second) {
    Map<Integer, Row> rows = collections.get(collection);
    Row row = rows == null ? null : rows.get(partition);
    if (row == null) {
      if (second.units == 0 && second.refused == 0 || partitions >= PARTITIONS_MAX) {
        return;
      }
      row = new Row();
      collections.computeIfAbsent(collection, absent -> new TreeMap<>()).put(partition, row);
      partitions++;
    }
    int refused = (int) Math.max(0, second.refused - row.refused);
    row.refused = second.refused;
    if (second.units == 0 && refused == 0) {
      return;
    }
    float peak = second.limit > 0 ? (float) (second.units / second.limit) : HeatRing.UNLIMITED;
    var cell = new HeatRing.Cell((float) second.units, peak, refused);
    row.rings.values().forEach(ring -> ring.add(second.epochSecond, cell));
  }

  /** Forgets collections that are gone. */
  synchronized void retain(Set<UUID> existing) {
    collections.keySet().retainAll(existing);
    partitions = collections.values().stream().mapToInt(Map::size).sum();
  }

  /** What one partition did in each of the intervals. */
  public record Load(double[] units, double[] peaks, long[] refused) {
    public double sum() {
      double sum = 0;
      for (double each : units) {
        sum += each;
      }
      return sum;
    }

    public long refusedSum() {
      long sum = 0;
      for (long each : refused) {
        sum += each;
      }
      return sum;
    }
  }

  /**
   * The load of each partition of a collection that is remembered, also of those that were split
   * since, by its number.
   *
   * @param first the number of the first interval
   */
  public synchronized Map<Integer, Load> loads(
      UUID collection, Resolution resolution, long first, int count) {
    Map<Integer, Load> loads = new LinkedHashMap<>();
    Map<Integer, Row> rows = collections.getOrDefault(collection, Map.of());
    rows.forEach((id, row) -> loads.put(id, load(row.rings.get(resolution)::at, first, count)));
    return loads;
  }

  private static Load load(LongFunction<HeatRing.Cell> cells, long first, int count) {
    var load = new Load(new double[count], new double[count], new long[count]);
    for (int i = 0; i < count; i++) {
      HeatRing.Cell cell = cells.apply(first + i);
      load.units[i] = cell.units();
      load.peaks[i] = cell.peak();
      load.refused[i] = cell.refused();
    }
    return load;
  }

  synchronized void write(DataOutput out) throws IOException {
    out.writeInt(partitions);
    for (Map.Entry<UUID, Map<Integer, Row>> rows : collections.entrySet()) {
      for (Map.Entry<Integer, Row> row : rows.getValue().entrySet()) {
        out.writeLong(rows.getKey().getMostSignificantBits());
        out.writeLong(rows.getKey().getLeastSignificantBits());
        out.writeInt(row.getKey());
        for (Resolution resolution : KEPT) {
          row.getValue().rings.get(resolution).write(out);
        }
      }
    }
  }

  synchronized void read(DataInput in) throws IOException {
    int count = in.readInt();
    for (int i = 0; i < count; i++) {
      var collection = new UUID(in.readLong(), in.readLong());
      int partition = in.readInt();
      var row = new Row();
      for (Resolution resolution : KEPT) {
        row.rings.put(resolution, HeatRing.read(resolution, in));
      }
      collections.computeIfAbsent(collection, absent -> new TreeMap<>()).put(partition, row);
      partitions++;
    }
  }
}
