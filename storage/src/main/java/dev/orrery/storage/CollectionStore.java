package dev.orrery.storage;

import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One collection: its description and its physical partitions. The object stays the same for the
 * life of the collection; what it describes may change under it (indexes, options, splits), each
 * time as a whole.
 */
public interface CollectionStore {
  /** The present description; a snapshot. */
  CollectionInfo info();

  /**
   * The ordered index on the partition key that the engine keeps by itself, to be read as any
   * other; null if it keeps none.
   */
  default @Nullable IndexSpec keyIndex() {
    return null;
  }

  /** The present partitions in the order of their ranges; a snapshot. Empty for a view. */
  List<PartitionStore> partitions();

  /** The partition that owns documents with that partition key; null is a missing value. */
  PartitionStore partitionOf(RawValue partitionKey);

  /** The partition that owns a new document of that key. */
  PartitionStore ownerOf(WriteKey key);

  /** The key of a new document, which must have an {@code _id}. */
  WriteKey keyOf(RawDocument document);

  /** The partition key's value in that document, or null when it is missing. */
  RawValue partitionKeyOf(RawDocument document);

  /**
   * The bytes that identify a document: its partition key, null when missing or when the collection
   * has none, and its {@code _id}.
   */
  byte[] primaryKey(RawValue partitionKey, RawValue id);

  /** Bytes and documents under one partition key; zero when there are none. */
  PartitionStatistics statisticsOf(RawValue partitionKey);

  /** False after the collection was dropped; its partitions are then empty. */
  boolean exists();
}
