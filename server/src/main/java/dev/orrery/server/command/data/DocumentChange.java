package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.query.Filter;
import dev.orrery.language.update.Update;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.collection.DocumentValidator;
import dev.orrery.server.command.collection.NewDocument;
import dev.orrery.server.command.collection.PartitionKeyRules;
import dev.orrery.server.command.collection.WriteFailures;
import dev.orrery.server.synthetic.SyntheticKey;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a document becomes another one: in its place, or, when its partition key changes, by deleting
 * it here and inserting it there, both or none.
 */
final class DocumentChange {
  private final CollectionStore collection;
  private final DocumentWriter writer;
  private final Filter filter;
  private final boolean isMulti;
  private final @Nullable SyntheticKey key;
  private @Nullable DocumentValidator validator;
  private boolean isKeyFixed;
  private Consumer<RawDocument> size = document -> {};

  DocumentChange(
      CollectionStore collection, DocumentWriter writer, Filter filter, boolean isMulti) {
    this.collection = collection;
    this.writer = writer;
    this.filter = filter;
    this.isMulti = isMulti;
    this.key = SyntheticKey.of(collection.info());
  }

  DocumentChange checkedBy(@Nullable DocumentValidator newValidator) {
    validator = newValidator;
    return this;
  }

  /** Whether a change of the partition key's value is refused, as Cosmos DB does. */
  DocumentChange keepingKey(boolean isFixed) {
    isKeyFixed = isFixed;
    return this;
  }

  /** What refuses documents that have become too large. */
  DocumentChange limitedTo(Databases databases) {
    size = databases::requireSize;
    return this;
  }

  void requireValid(RawDocument inserted) {
    if (validator != null) {
      validator.requireValid(inserted);
    }
  }

  /** The change with the partition key that the server makes, if it does, as it must be then. */
  Update.Result keyed(RawDocument before, Update.Result change) {
    if (key == null || !change.isModified()) {
      return change;
    }
    RawDocument after = key.keep(before, change.document(), change.delta() == null);
    return after == change.document()
        ? change
        : new Update.Result(after, !after.equals(before), change.delta());
  }

  /** Commits the change; false when the document was changed or moved by another meanwhile. */
  boolean apply(StoredDocument before, Update.Result change) {
    RawDocument after = change.document();
    requireStorable(before, after);
    List<WriteOutcome> outcomes;
    if (PartitionKeyRules.isSameKey(collection, before.document(), after)) {
      var replace = new WriteOperation.Replace(collection, before, after, change.delta());
      outcomes = writer.commit(List.of(replace), WriteBatch.OnFailure.APPLY_NONE);
    } else {
      requireMovable();
      outcomes =
          writer.commit(
              List.of(
                  new WriteOperation.Delete(collection, before),
                  new WriteOperation.Insert(collection, after)),
              WriteBatch.OnFailure.APPLY_NONE);
    }
    for (WriteOutcome outcome : outcomes) {
      if (outcome.status() == WriteOutcome.Status.CONFLICT) {
        return false;
      }
      if (!outcome.isApplied() && outcome.status() != WriteOutcome.Status.NOT_APPLIED) {
        throw WriteFailures.of(outcome, collection.info(), after);
      }
    }
    return true;
  }

  /** The change of one of many documents, which must stay under its partition key. */
  WriteOperation replacement(StoredDocument before, Update.Result change) {
    RawDocument after = change.document();
    requireStorable(before, after);
    if (!PartitionKeyRules.isSameKey(collection, before.document(), after)) {
      requireMovable();
    }
    return new WriteOperation.Replace(collection, before, after, change.delta());
  }

  private void requireStorable(StoredDocument before, RawDocument after) {
    if (after.length() > NewDocument.BYTES_MAX) {
      throw new CommandException(
          ErrorCode.LOCATION_17419,
          "Resulting document after update is larger than " + NewDocument.BYTES_MAX);
    }
    size.accept(after);
    PartitionKeyRules.requireNoArrayAfterUpdate(collection, after);
    if (validator != null) {
      validator.requireValid(before.document(), after);
    }
  }

  /** MongoDB's conditions for a change of the shard key's value. */
  private void requireMovable() {
    if (isKeyFixed) {
      String path = collection.info().partitionKey();
      throw new CommandException(
          ErrorCode.IMMUTABLE_FIELD,
          "Performing an update on the path '%s' would modify the immutable field '%s'"
              .formatted(path, path));
    }
    if (isMulti) {
      throw new CommandException(
          ErrorCode.INVALID_OPTIONS,
          "Multi-update operations are not allowed when updating the shard key field.");
    }
    List<RawValue> values = SyntheticKey.fixedValues(collection.info(), filter);
    if (values == null || values.size() != 1) {
      throw new CommandException(
          ErrorCode.LOCATION_31025,
          "Shard key update is not allowed without specifying the full shard key in the query");
    }
    if (!writer.isRetryable()) {
      throw new CommandException(
          ErrorCode.ILLEGAL_OPERATION,
          "Must run update to shard key field in a multi-statement transaction or with"
              + " retryWrites: true.");
    }
  }
}
