package dev.orrery.server.throughput;

import dev.orrery.value.KeyEncoder;
import dev.orrery.value.RawValue;
import java.util.Arrays;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** A value of a partition key that can be counted by: equal numbers are one value. */
final class PartitionKeyValue {
  /** Of documents that lack the field. */
  static final PartitionKeyValue MISSING = new PartitionKeyValue(new byte[0], null);

  private final byte[] encoded;
  private final @Nullable BsonValue value;

  private PartitionKeyValue(byte[] encoded, @Nullable BsonValue value) {
    this.encoded = encoded;
    this.value = value;
  }

  static PartitionKeyValue of(@Nullable RawValue value) {
    return value == null
        ? MISSING
        : new PartitionKeyValue(KeyEncoder.encode(value), value.toBsonValue());
  }

  /** The value as it came first; undefined for a missing one. */
  BsonValue value() {
    return value == null ? new BsonUndefined() : value;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PartitionKeyValue key && Arrays.equals(encoded, key.encoded);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(encoded);
  }
}
