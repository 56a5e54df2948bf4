package dev.orrery.language.aggregate;

import dev.orrery.language.expression.WatchedOrder;
import dev.orrery.value.RawDocument;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

/**
 * Measurements of a time series in MongoDB's form of version 1: a column for each field, and the
 * least and the greatest value of each.
 */
final class MeasurementBucket {
  private static final int MEASUREMENTS_MAX = 1000;
  private static final int BYTES_MAX = 128_000;
  private static final int HASH_BYTES = 8;

  private final PackBucketsStage stage;
  private final @Nullable BsonValue meta;
  private final long startMillis;
  private final byte[] first;
  private BsonDocument least = new BsonDocument();
  private BsonDocument greatest = new BsonDocument();
  private final BsonDocument columns = new BsonDocument();
  private int count;
  private int bytes;

  MeasurementBucket(PackBucketsStage stage, BsonDocument measurement) {
    this.stage = stage;
    this.meta = metaOf(measurement);
    this.startMillis =
        Math.floorDiv(timeOf(measurement), stage.roundingMillis()) * stage.roundingMillis();
    this.first = RawDocument.of(measurement).toByteArray();
    add(measurement);
  }

  private @Nullable BsonValue metaOf(BsonDocument measurement) {
    return stage.meta() == null ? null : measurement.get(stage.meta());
  }

  private long timeOf(BsonDocument measurement) {
    return measurement.isDateTime(stage.time())
        ? measurement.getDateTime(stage.time()).getValue()
        : 0; // kept since a time when it was not asked for
  }

  /** Whether it belongs to the measurements that are here. */
  boolean takes(BsonDocument measurement) {
    return count < MEASUREMENTS_MAX
        && bytes < BYTES_MAX
        && Objects.equals(meta, metaOf(measurement))
        && timeOf(measurement) - startMillis < stage.spanMillis();
  }

  void add(BsonDocument measurement) {
    var values = new BsonDocument();
    for (Map.Entry<String, BsonValue> field : measurement.entrySet()) {
      if (field.getKey().equals(stage.meta())) {
        continue;
      }
      values.append(field.getKey(), field.getValue());
      columns
          .computeIfAbsent(field.getKey(), name -> new BsonDocument())
          .asDocument()
          .append(Integer.toString(count), field.getValue());
    }
    least = extreme(least, values, -1).asDocument();
    greatest = extreme(greatest, values, 1).asDocument();
    bytes += count == 0 ? first.length : RawDocument.of(measurement).length();
    count++;
  }

  /** The lesser or, with a sign of 1, the greater one; field by field and place by place. */
  private static BsonValue extreme(@Nullable BsonValue known, BsonValue next, int sign) {
    if (known == null) {
      return next;
    }
    if (known.isDocument() && next.isDocument()) {
      var merged = new BsonDocument();
      merged.putAll(known.asDocument());
      next.asDocument()
          .forEach((name, value) -> merged.put(name, extreme(merged.get(name), value, sign)));
      return merged;
    }
    if (known.isArray() && next.isArray()) {
      var merged = new BsonArray(known.asArray().getValues());
      for (int i = 0; i < next.asArray().size(); i++) {
        BsonValue value = next.asArray().get(i);
        if (i < merged.size()) {
          merged.set(i, extreme(merged.get(i), value, sign));
        } else {
          merged.add(value);
        }
      }
      return merged;
    }
    return Integer.signum(WatchedOrder.CANONICAL.compare(next, known)) == sign ? next : known;
  }

  BsonDocument toBson() {
    least.put(stage.time(), new BsonDateTime(startMillis));
    var bucket =
        new BsonDocument("_id", id())
            .append(
                "control",
                new BsonDocument("version", new BsonInt32(1))
                    .append("min", least)
                    .append("max", greatest));
    if (meta != null) {
      bucket.append("meta", meta);
    }
    return bucket.append("data", columns);
  }

  /** Begins with the time, as in MongoDB; the rest is the same whenever it is read. */
  private BsonObjectId id() {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(first);
      var id = ByteBuffer.allocate(Integer.BYTES + HASH_BYTES);
      id.putInt((int) TimeUnit.MILLISECONDS.toSeconds(startMillis));
      id.put(hash, 0, HASH_BYTES);
      return new BsonObjectId(new ObjectId(id.array()));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }
}
