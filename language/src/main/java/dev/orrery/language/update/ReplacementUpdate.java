package dev.orrery.language.update;

import dev.orrery.value.RawDocument;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;

/** A document that takes the place of another, which only keeps its {@code _id}. */
final class ReplacementUpdate extends Update {
  private final BsonDocument replacement;
  private final boolean hasEmptyTimestamp;

  ReplacementUpdate(BsonDocument replacement) {
    this.replacement = replacement;
    this.hasEmptyTimestamp =
        replacement.entrySet().stream().anyMatch(ReplacementUpdate::isEmptyTimestamp);
  }

  /** An empty timestamp at the top level means the time of the update, but not as an id. */
  private static boolean isEmptyTimestamp(Map.Entry<String, BsonValue> field) {
    return field.getValue() instanceof BsonTimestamp timestamp
        && timestamp.getValue() == 0
        && !field.getKey().equals("_id");
  }

  @Override
  boolean keepsFilterFields() {
    return false;
  }

  @Override
  public Result apply(RawDocument before, int arrayIndex, UpdateClock clock) {
    return Replacement.apply(before, complete(clock), false);
  }

  @Override
  BsonDocument inserted(BsonDocument start, UpdateClock clock) {
    return Replacement.inserted(start, complete(clock));
  }

  private BsonDocument complete(UpdateClock clock) {
    if (!hasEmptyTimestamp) {
      return replacement;
    }
    var document = new BsonDocument(replacement.size());
    for (var field : replacement.entrySet()) {
      document.put(
          field.getKey(), isEmptyTimestamp(field) ? clock.nextTimestamp() : field.getValue());
    }
    return document;
  }
}
