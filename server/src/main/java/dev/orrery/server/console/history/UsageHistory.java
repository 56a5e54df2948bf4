package dev.orrery.server.console.history;

import dev.orrery.server.throughput.UsageLog;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.bson.BsonBinaryReader;
import org.bson.BsonBinaryWriter;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.DecoderContext;
import org.bson.codecs.EncoderContext;
import org.bson.io.BasicOutputBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Which partition keys took the units of each interval, and by what requests: the dearest of them.
 * In bounded memory, as {@link Resolution} has it, but no finer than some seconds. Thread-safe.
 */
public final class UsageHistory {
  /** How often what requests spent is asked for. */
  public static final int FINEST_SECONDS = 5;

  private static final int ENTRIES_MAX = 200;
  private static final int SHAPES_MAX = 10_000;
  private static final Resolution[] KEPT = {Resolution.MINUTE, Resolution.HOUR};

  /** What is added up. */
  private record Who(UUID collection, int partition, @Nullable BsonValue key, long shapeId) {}

  /** What was spent on one key by requests of one shape. */
  public record Use(
      int partition, @Nullable BsonValue key, long shapeId, String shape, double units) {}

  private final Map<Resolution, TreeMap<Long, Map<Who, Double>>> levels =
      new EnumMap<>(Resolution.class);
  private final Map<Long, String> shapes = new HashMap<>();

  public UsageHistory() {
    for (Resolution resolution : Resolution.values()) {
      levels.put(resolution, new TreeMap<>());
    }
  }

  private static int width(Resolution resolution) {
    return Math.max(FINEST_SECONDS, resolution.seconds());
  }

  synchronized void add(long epochSecond, Map<UUID, UsageLog.Interval> taken) {
    taken.forEach(
        (collection, interval) -> {
          for (UsageLog.Spent spent : interval.spent()) {
            shapes.putIfAbsent(spent.shapeId(), spent.shape());
            var who = new Who(collection, spent.partition(), spent.key(), spent.shapeId());
            levels.forEach(
                (resolution, level) ->
                    level
                        .computeIfAbsent(epochSecond / width(resolution), absent -> new HashMap<>())
                        .merge(who, spent.units(), Double::sum));
          }
        });
    levels.forEach((resolution, level) -> forget(resolution, level, epochSecond));
    forgetShapes();
  }

  private static void forget(
      Resolution resolution, TreeMap<Long, Map<Who, Double>> level, long epochSecond) {
    long kept = (long) resolution.slots() * resolution.seconds() / width(resolution);
    level.headMap(epochSecond / width(resolution) - kept, true).clear();
    Map.Entry<Long, Map<Who, Double>> last = level.lastEntry();
    if (last != null && last.getValue().size() > 2 * ENTRIES_MAX) {
      level.put(last.getKey(), dearest(last.getValue()));
    }
  }

  private static Map<Who, Double> dearest(Map<Who, Double> uses) {
    var kept = new HashMap<Who, Double>();
    uses.entrySet().stream()
        .sorted(Map.Entry.<Who, Double>comparingByValue().reversed())
        .limit(ENTRIES_MAX)
        .forEach(use -> kept.put(use.getKey(), use.getValue()));
    return kept;
  }

  private void forgetShapes() {
    if (shapes.size() > SHAPES_MAX) {
      var used = new HashSet<Long>();
      levels
          .values()
          .forEach(
              level ->
                  level.values().forEach(uses -> uses.keySet().forEach(w -> used.add(w.shapeId))));
      shapes.keySet().retainAll(used);
    }
  }

  /** What was spent in a collection from one second to another, the dearest first. */
  public synchronized List<Use> uses(
      UUID collection, Resolution resolution, long fromSecond, long toSecond) {
    var sums = new HashMap<Who, Double>();
    levels
        .get(resolution)
        .subMap(fromSecond / width(resolution), true, (toSecond - 1) / width(resolution), true)
        .values()
        .forEach(
            uses ->
                uses.forEach(
                    (who, units) -> {
                      if (who.collection.equals(collection)) {
                        sums.merge(who, units, Double::sum);
                      }
                    }));
    var list = new ArrayList<Use>();
    sums.forEach(
        (who, units) ->
            list.add(new Use(who.partition, who.key, who.shapeId, shapes.get(who.shapeId), units)));
    list.sort(Comparator.comparingDouble(Use::units).reversed());
    return list;
  }

  synchronized void write(DataOutput out) throws IOException {
    for (Resolution resolution : KEPT) {
      TreeMap<Long, Map<Who, Double>> level = levels.get(resolution);
      out.writeInt(level.size());
      for (Map.Entry<Long, Map<Who, Double>> interval : level.entrySet()) {
        out.writeLong(interval.getKey());
        Map<Who, Double> uses = dearest(interval.getValue());
        out.writeInt(uses.size());
        for (Map.Entry<Who, Double> use : uses.entrySet()) {
          write(out, use.getKey());
          out.writeDouble(use.getValue());
        }
      }
    }
  }

  private void write(DataOutput out, Who who) throws IOException {
    out.writeLong(who.collection.getMostSignificantBits());
    out.writeLong(who.collection.getLeastSignificantBits());
    out.writeInt(who.partition);
    out.writeLong(who.shapeId);
    out.writeUTF(shorten(shapes.getOrDefault(who.shapeId, "")));
    byte[] key = who.key == null ? new byte[0] : bytes(who.key);
    out.writeInt(key.length);
    out.write(key);
  }

  private static String shorten(String shape) {
    return shape.substring(0, Math.min(shape.length(), 4_000));
  }

  private static byte[] bytes(BsonValue key) {
    var buffer = new BasicOutputBuffer();
    try (var writer = new BsonBinaryWriter(buffer)) {
      new BsonDocumentCodec()
          .encode(writer, new BsonDocument("k", key), EncoderContext.builder().build());
    }
    return buffer.toByteArray();
  }

  synchronized void read(DataInput in) throws IOException {
    for (Resolution resolution : KEPT) {
      int intervals = in.readInt();
      for (int i = 0; i < intervals; i++) {
        var uses = new HashMap<Who, Double>();
        levels.get(resolution).put(in.readLong(), uses);
        int count = in.readInt();
        for (int j = 0; j < count; j++) {
          Who who = readWho(in);
          uses.put(who, in.readDouble());
        }
      }
    }
  }

  private Who readWho(DataInput in) throws IOException {
    var collection = new UUID(in.readLong(), in.readLong());
    int partition = in.readInt();
    long shape = in.readLong();
    shapes.putIfAbsent(shape, in.readUTF());
    byte[] key = new byte[in.readInt()];
    in.readFully(key);
    return new Who(collection, partition, key.length == 0 ? null : value(key), shape);
  }

  private static BsonValue value(byte[] bytes) {
    try (var reader = new BsonBinaryReader(ByteBuffer.wrap(bytes))) {
      return new BsonDocumentCodec().decode(reader, DecoderContext.builder().build()).get("k");
    }
  }
}
