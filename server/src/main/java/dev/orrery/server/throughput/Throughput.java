package dev.orrery.server.throughput;

import java.util.Map;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * What was provisioned for a collection or a database.
 *
 * @param unitsPerSecond request units per second; with autoscale the most there can be
 * @param highest the most that was ever provisioned, on which the lowest that is allowed depends
 * @param shares what single partitions were given, by their number; the others share evenly
 */
public record Throughput(Mode mode, long unitsPerSecond, long highest, Map<Integer, Long> shares) {
  /** Nothing is limited. */
  public static final Throughput NONE = new Throughput(Mode.NONE, 0, 0, Map.of());

  /** An autoscale offer never falls below its tenth. */
  private static final long AUTOSCALE_FLOOR = 10;

  /** How the units follow the demand. */
  public enum Mode {
    NONE,
    MANUAL,
    AUTOSCALE
  }

  public Throughput {
    shares = Map.copyOf(shares);
  }

  public static Throughput manual(long unitsPerSecond) {
    return new Throughput(Mode.MANUAL, unitsPerSecond, unitsPerSecond, Map.of());
  }

  public static Throughput autoscale(long unitsPerSecond) {
    return new Throughput(Mode.AUTOSCALE, unitsPerSecond, unitsPerSecond, Map.of());
  }

  public boolean isProvisioned() {
    return mode != Mode.NONE;
  }

  public boolean isAutoscale() {
    return mode == Mode.AUTOSCALE;
  }

  /** What an idle offer stands at. */
  public long floor() {
    return isAutoscale() ? unitsPerSecond / AUTOSCALE_FLOOR : unitsPerSecond;
  }

  /** How many physical partitions it takes when each may have that much. */
  public int partitions(long partitionUnits) {
    return (int) Math.max(1, (unitsPerSecond + partitionUnits - 1) / partitionUnits);
  }

  /** The offer that takes the place of this one; what was highest is remembered. */
  public Throughput replacedBy(Throughput next) {
    long most = Math.max(highest, next.highest);
    return new Throughput(next.mode, next.unitsPerSecond, most, next.shares);
  }

  public Throughput withShares(Map<Integer, Long> to) {
    return new Throughput(mode, unitsPerSecond, highest, to);
  }

  /** The form in which it is kept; empty when there is none. */
  public BsonDocument toBson() {
    var document = new BsonDocument();
    if (!isProvisioned()) {
      return document;
    }
    document
        .append("mode", new BsonString(mode.name()))
        .append("unitsPerSecond", new BsonInt64(unitsPerSecond))
        .append("highest", new BsonInt64(highest));
    if (!shares.isEmpty()) {
      var list = new BsonDocument();
      new TreeMap<>(shares)
          .forEach((partition, units) -> list.append("" + partition, new BsonInt64(units)));
      document.append("shares", list);
    }
    return document;
  }

  public static Throughput fromBson(BsonDocument document) {
    if (!document.containsKey("mode")) {
      return NONE;
    }
    var shares = new TreeMap<Integer, Long>();
    document
        .getDocument("shares", new BsonDocument())
        .forEach((id, units) -> shares.put(Integer.valueOf(id), units.asInt64().getValue()));
    return new Throughput(
        Mode.valueOf(document.getString("mode").getValue()),
        document.getInt64("unitsPerSecond").getValue(),
        document.getInt64("highest").getValue(),
        shares);
  }
}
