package dev.orrery.server.throughput;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.WriteKey;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.value.RawDocument;
import org.jspecify.annotations.Nullable;

/**
 * One write, and what its size costs.
 *
 * @param document as it is now, or was
 * @param insertKey of a new document; null for others
 */
record WrittenDocument(
    CollectionStore collection,
    RawDocument document,
    RequestCharge price,
    @Nullable WriteKey insertKey) {
  static WrittenDocument of(WriteOperation operation) {
    if (operation instanceof WriteOperation.Insert insert) {
      RawDocument document = insert.document();
      return new WrittenDocument(
          insert.collection(),
          document,
          RequestUnits.create(document.length(), 0).plus(checks(insert.collection())),
          insert.key());
    }
    if (operation instanceof WriteOperation.Replace replace) {
      int before = replace.before().document().length();
      return new WrittenDocument(
          replace.collection(),
          replace.after(),
          RequestUnits.replace(before, replace.after().length(), 0, 0)
              .plus(checks(replace.collection())),
          null);
    }
    if (operation instanceof WriteOperation.Delete delete) {
      RawDocument document = delete.before().document();
      return new WrittenDocument(
          delete.collection(),
          document,
          RequestUnits.delete(document.length(), 0).plus(checks(delete.collection())),
          null);
    }
    throw new IllegalArgumentException("an unknown operation: " + operation);
  }

  private static RequestCharge checks(CollectionStore collection) {
    int unique = 0;
    for (CollectionInfo.IndexEntry entry : collection.info().indexes()) {
      unique += entry.spec().isUnique() && !entry.spec().isIdIndex() ? 1 : 0;
    }
    return unique == 0 ? RequestCharge.NOTHING : RequestUnits.uniqueChecks(unique);
  }

  PartitionKeyValue key() {
    return PartitionKeyValue.of(
        insertKey == null ? collection.partitionKeyOf(document) : insertKey.partitionKey());
  }
}
