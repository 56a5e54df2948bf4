package dev.orrery.server.advisor;

import dev.orrery.storage.partition.EffectivePartitionKey;
import dev.orrery.value.RawValue;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * A value of a key, known by its place in the key space.
 *
 * @param value null for a missing one, and for one that is kept: it may hold a whole document
 * @param text how it looks; empty until it is kept
 */
record KeyPlace(EffectivePartitionKey epk, @Nullable RawValue value, String text) {
  private static final int TEXT_MAX = 60;

  static KeyPlace of(@Nullable RawValue value) {
    return new KeyPlace(EffectivePartitionKey.of(value), value, "");
  }

  /** The same with its text, to be kept for long. */
  KeyPlace kept() {
    if (value == null) {
      return new KeyPlace(epk, null, text.isEmpty() ? "(missing)" : text);
    }
    String json = new BsonDocument("k", value.toBsonValue()).toJson();
    String whole = json.substring("{\"k\": ".length(), json.length() - 1);
    String shown = whole.length() <= TEXT_MAX ? whole : whole.substring(0, TEXT_MAX - 3) + "...";
    return new KeyPlace(epk, null, shown);
  }

  /** Which of so many equal parts of the key space it is in, as those of a new collection are. */
  int partition(int partitions) {
    return (int) ((epk.high() >>> 30) * partitions >>> 32);
  }

  /** 64 bits that are as good as random. */
  long mixed() {
    long mixed = (epk.high() ^ epk.low() >>> 1) * 0x9E3779B97F4A7C15L;
    return (mixed ^ mixed >>> 32) * 0xD6E8FEB86659FD93L;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeyPlace place && epk.equals(place.epk);
  }

  @Override
  public int hashCode() {
    return epk.hashCode();
  }
}
