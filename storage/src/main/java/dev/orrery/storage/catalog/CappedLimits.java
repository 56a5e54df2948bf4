package dev.orrery.storage.catalog;

import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** How much a capped collection holds; what comes then pushes the oldest documents out. */
public record CappedLimits(long bytesMax, long documentsMax) {
  /** Those that the options of a collection name; null for one that is not capped. */
  static @Nullable CappedLimits of(BsonDocument options) {
    BsonValue capped = options.get("capped");
    if (capped == null || !capped.isBoolean() || !capped.asBoolean().getValue()) {
      return null;
    }
    return new CappedLimits(number(options, "size"), number(options, "max"));
  }

  private static long number(BsonDocument options, String name) {
    BsonValue value = options.get(name);
    long limit = value != null && value.isNumber() ? value.asNumber().longValue() : 0;
    return limit <= 0 ? Long.MAX_VALUE : limit;
  }

  public boolean allow(long documents, long bytes) {
    return documents <= documentsMax && bytes <= bytesMax;
  }
}
