package dev.orrery.server.update;

import dev.orrery.storage.value.RawDocument;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;

/** A document that takes the place of another, which only keeps its {@code _id}. */
final class ReplacementUpdate extends Update {
  private final BsonDocument replacement;
  private final boolean hasEmptyTimestamp;

  ReplacementUpdate(BsonDocument replacement) {
    this.replacement = replacement;
    this.hasEmptyTimestamp =
        replacement.entrySet().stream()
            .anyMatch(field -> !field.getKey().equals("_id") && isEmpty(field.getValue()));
  }

  private static boolean isEmpty(org.bson.BsonValue value) {
    return value instanceof BsonTimestamp timestamp && timestamp.getValue() == 0;
  }

  @Override
  public boolean isPositional() {
    return false;
  }

  @Override
  boolean keepsFilterFields() {
    return false;
  }

  @Override
  boolean edit(Edit edit, RawDocument before) {
    var document = hasEmptyTimestamp ? withTimestamps(edit.clock()) : replacement;
    return Replacement.apply(edit, before, document, false);
  }

  /** Empty timestamps at the top level mean the time of the update. */
  private BsonDocument withTimestamps(UpdateClock clock) {
    var document = new BsonDocument(replacement.size());
    replacement.forEach(
        (name, value) ->
            document.put(
                name, !name.equals("_id") && isEmpty(value) ? clock.nextTimestamp() : value));
    return document;
  }
}
