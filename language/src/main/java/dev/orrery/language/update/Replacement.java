package dev.orrery.language.update;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.WatchedOrder;
import dev.orrery.value.RawDocument;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Puts one document in the place of another: what replacements and pipelines have in common. */
final class Replacement {
  private Replacement() {}

  /** A document after it was replaced; unmodified only if both are the same to the byte. */
  static Update.Result apply(RawDocument before, BsonDocument replacement, boolean allowsDollars) {
    if (RawDocument.of(replacement).equals(before)) {
      return new Update.Result(before, false);
    }
    var oldId = before.field("_id") == null ? null : before.field("_id").toBsonValue();
    var document = withId(oldId, replacement);
    DocumentRules.requireStorable(document, allowsDollars);
    requireSameId(oldId, document.get("_id"));
    return new Update.Result(DocumentRules.encoded(document), true);
  }

  /** A document to be inserted, of which the filter may have given the id. */
  static BsonDocument inserted(BsonDocument start, BsonDocument replacement) {
    var oldId = start.get("_id");
    var document = withId(oldId, replacement);
    requireSameId(oldId, document.get("_id"));
    return document;
  }

  private static BsonDocument withId(@Nullable BsonValue oldId, BsonDocument replacement) {
    var document = new BsonDocument(replacement.size() + 1);
    if (oldId != null && !replacement.containsKey("_id")) {
      document.put("_id", oldId);
    }
    document.putAll(replacement);
    return document;
  }

  private static void requireSameId(@Nullable BsonValue oldId, @Nullable BsonValue newId) {
    if (newId == null) {
      return;
    }
    if (newId.isArray()) {
      throw new CommandException(
          ErrorCode.NOT_SINGLE_VALUE_FIELD,
          "After applying the update to the document, the (immutable) field '_id' was found to be"
              + " an array or array descendant.");
    }
    if (oldId != null && !WatchedOrder.CANONICAL.areEqual(oldId, newId)) {
      throw new CommandException(
          ErrorCode.IMMUTABLE_FIELD,
          "After applying the update, the (immutable) field '_id' was found to have been altered"
              + " to "
              + BsonText.element("_id", newId));
    }
  }
}
