package dev.orrery.server.command.collection;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a document that is written must have as its partition key, in MongoDB's words. Storage
 * refuses whatever these let pass.
 */
public final class PartitionKeyRules {
  private PartitionKeyRules() {}

  /** Refuses a new document that has an array as its partition key, or on the path of it. */
  static void requireNoArray(@Nullable RawValue partitionKey) {
    if (partitionKey != null && partitionKey.isArray()) {
      throw new CommandException(
          ErrorCode.SHARD_KEY_NOT_FOUND,
          "Shard key cannot contain array values or array descendants.");
    }
  }

  /** Refuses an update that leads to one. */
  public static void requireNoArrayAfterUpdate(CollectionStore collection, RawDocument after) {
    if (hasArray(collection, after)) {
      throw new CommandException(
          ErrorCode.NOT_SINGLE_VALUE_FIELD,
          "After applying the update to the document, the field '%s' was found to be an array or"
                  .formatted(collection.info().partitionKey())
              + " array descendant.");
    }
  }

  private static boolean hasArray(CollectionStore collection, RawDocument document) {
    String path = collection.info().partitionKey();
    if (path == null) {
      return false;
    }
    RawValue value = collection.partitionKeyOf(document);
    if (value == null && path.indexOf('.') > 0) { // missing, or behind an array
      value = FieldPath.parse(path).findOrArray(document);
    }
    return value != null && value.isArray();
  }

  /** Whether a document may take the place of another, as both are kept under the same key. */
  public static boolean isSameKey(
      CollectionStore collection, RawDocument before, RawDocument after) {
    if (collection.info().partitionKey() == null) {
      return true;
    }
    return Arrays.equals(primaryKey(collection, before), primaryKey(collection, after));
  }

  private static byte[] primaryKey(CollectionStore collection, RawDocument document) {
    RawValue key = collection.partitionKeyOf(document);
    return collection.primaryKey(key, document.field("_id"));
  }

  /** What $merge says to a document whose pipeline gave it another partition key. */
  public static CommandException changedByMerge(CollectionStore collection, RawDocument after) {
    String path = collection.info().partitionKey();
    RawValue value = collection.partitionKeyOf(after);
    String change =
        value == null
            ? "removed --" + BsonText.document(after.toBsonDocument())
            : "altered to " + BsonText.element(path, value.toBsonValue());
    return new CommandException(
        ErrorCode.IMMUTABLE_FIELD,
        "$merge failed to update the matching document, did you attempt to modify the _id or the"
            + " shard key? :: caused by :: After applying the update, the (immutable) field '"
            + path
            + "' was found to have been "
            + change);
  }
}
