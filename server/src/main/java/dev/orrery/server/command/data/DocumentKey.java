package dev.orrery.server.command.data;

import dev.orrery.storage.CollectionStore;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What a filter names that asks for one document by its primary key and for nothing else: {@code
 * {_id: value}}, or {@code {city: value, _id: value}} where the collection is partitioned by city.
 *
 * @param partitionKey null in a collection without a partition key
 */
record DocumentKey(@Nullable RawValue partitionKey, RawValue id) {
  private static final byte[] ID = "_id".getBytes(StandardCharsets.UTF_8);

  /** The key, or null when the filter is any other, or needs a closer look. */
  static @Nullable DocumentKey find(CollectionStore collection, RawDocument filter) {
    String path = collection.info().partitionKey();
    RawElements fields = filter.elements();
    RawValue id = null;
    RawValue partitionKey = null;
    while (fields.next()) {
      if (!isPlain(fields.type())) {
        return null;
      }
      if (id == null && fields.nameEquals(ID)) {
        id = fields.value();
      } else if (partitionKey == null && path != null && fields.name().equals(path)) {
        partitionKey = fields.value();
      } else {
        return null;
      }
    }
    if (path != null && path.equals("_id")) {
      partitionKey = id;
    }
    return id == null || (partitionKey == null) != (path == null)
        ? null
        : new DocumentKey(partitionKey, id);
  }

  /**
   * Whether a value of that type is equal to exactly those that have the same key. Null is equal to
   * a missing field too, a regular expression matches, and a document may hold operators.
   */
  private static boolean isPlain(byte type) {
    return switch (type) {
      case RawTypes.STRING,
          RawTypes.OBJECT_ID,
          RawTypes.INT32,
          RawTypes.INT64,
          RawTypes.DOUBLE,
          RawTypes.DECIMAL128,
          RawTypes.BINARY,
          RawTypes.BOOLEAN,
          RawTypes.DATE,
          RawTypes.TIMESTAMP ->
          true;
      default -> false;
    };
  }
}
