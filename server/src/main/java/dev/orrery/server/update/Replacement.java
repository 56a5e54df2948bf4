package dev.orrery.server.update;

import dev.orrery.server.error.BsonText;
import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.storage.value.BsonOrder;
import dev.orrery.storage.value.RawDocument;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Puts one document in the place of another: what replacements and pipelines have in common. */
final class Replacement {
  private Replacement() {}

  /** Replaces what {@code edit} holds; false if both documents are the same to the byte. */
  static boolean apply(
      Edit edit, RawDocument before, BsonDocument replacement, boolean allowsDollars) {
    if (RawDocument.of(replacement).equals(before)) {
      return false;
    }
    var document = edit.document();
    var oldId = document.get("_id");
    document.clear();
    if (oldId != null && !replacement.containsKey("_id")) {
      document.put("_id", oldId);
    }
    document.putAll(replacement);
    if (!edit.isInsert()) {
      DocumentRules.requireStorable(document, allowsDollars);
    }
    requireSameId(oldId, document.get("_id"));
    return true;
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
    if (oldId != null && !BsonOrder.CANONICAL.areEqual(oldId, newId)) {
      throw new CommandException(
          ErrorCode.IMMUTABLE_FIELD,
          "After applying the update, the (immutable) field '_id' was found to have been altered"
              + " to "
              + BsonText.element("_id", newId));
    }
  }
}
