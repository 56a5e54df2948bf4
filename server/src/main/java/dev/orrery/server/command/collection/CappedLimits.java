package dev.orrery.server.command.collection;

import dev.orrery.storage.catalog.CollectionInfo;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** How much a capped collection holds; what comes then pushes the oldest documents out. */
public record CappedLimits(long bytesMax, long documentsMax) {
  private static final CappedLimits NONE = new CappedLimits(Long.MAX_VALUE, Long.MAX_VALUE);

  public static CappedLimits of(CollectionInfo info) {
    BsonDocument options = info.options();
    BsonValue capped = options.get("capped");
    if (capped == null || !capped.isBoolean() || !capped.asBoolean().getValue()) {
      return NONE;
    }
    return new CappedLimits(number(options, "size"), number(options, "max"));
  }

  private static long number(BsonDocument options, String name) {
    BsonValue value = options.get(name);
    long limit = value != null && value.isNumber() ? value.asNumber().longValue() : 0;
    return limit <= 0 ? Long.MAX_VALUE - 1 : limit;
  }

  public boolean isCapped() {
    return this != NONE;
  }

  public boolean allows(long documents, long bytes) {
    return documents <= documentsMax && bytes <= bytesMax;
  }
}
