package dev.orrery.storage;

import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawValue;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;

/**
 * Where collections live. One engine serves one data directory (or one cluster); all methods may be
 * called from any thread. Nothing above may assume that a read is a memory access, that a partition
 * lives in this process, or that record ids are dense.
 *
 * <p>What would change a collection that was dropped, or an index that is not there, throws a
 * {@link StorageException} that says so and writes nothing, unless the method says otherwise.
 */
public interface StorageEngine extends AutoCloseable {
  /** Every collection and view, sorted by namespace; a snapshot. */
  List<CollectionStore> collections();

  /** The collection or view of that name, or null. */
  CollectionStore find(Namespace namespace);

  /** Creates a collection or view; returns null when the name is taken. */
  CollectionStore create(Namespace namespace, CollectionInfo.Creation creation);

  /** Drops a collection with all its documents; false when it is gone already. */
  boolean drop(CollectionStore collection);

  /**
   * Puts a new collection in the place of an empty one, at once: whoever inserts at the same time
   * either comes first, and null is returned, or writes to the new one. Null also when the
   * collection is gone.
   */
  CollectionStore replaceEmpty(CollectionStore collection, CollectionInfo.Creation creation);

  /**
   * Gives a collection another name, and with {@code dropTarget} drops the collection that has it
   * at that moment. False when the name is taken, for a view's always, and when the collection is
   * gone or no longer has the name {@code from}. What was temporary is so no longer.
   */
  boolean rename(CollectionStore collection, Namespace from, Namespace to, boolean dropTarget);

  /**
   * Changes options or throughput. {@code change} gets the present description and may be called
   * again when another change came first; it must leave indexes and partitions alone.
   */
  CollectionInfo update(CollectionStore collection, UnaryOperator<CollectionInfo> change);

  /**
   * Builds indexes over the documents that are there, while reads and writes go on, and returns
   * when they are ready. When a document cannot be indexed nothing stays, and the cause is thrown.
   */
  default void createIndexes(CollectionStore collection, List<IndexSpec> indexes) {
    createIndexes(collection, indexes, () -> {});
  }

  /**
   * The same, and {@code pause} is called now and then, without any lock: what it throws ends the
   * build as a failure does.
   */
  void createIndexes(CollectionStore collection, List<IndexSpec> indexes, Runnable pause);

  /**
   * Builds an index anew in place of the one of the same name (other keys, or unique now), while
   * reads and writes go on. The old one serves until the new one is complete, and stays when that
   * fails or is cut short by a crash.
   */
  void replaceIndex(CollectionStore collection, IndexSpec changed);

  /** Drops an index by name; false when there is none. */
  boolean dropIndex(CollectionStore collection, String name);

  /** Replaces the description of an index whose keys stay the same (hidden, expiry). */
  void alterIndex(CollectionStore collection, IndexSpec changed);

  /** What is committed now, and later on what is committed then. */
  View newest();

  /**
   * What is committed now, to be read as long as the view is open. Every commit that was answered
   * before this call is seen.
   */
  View pin();

  /** Commits a batch; see {@link WriteBatch} and {@link CommitResult}. Never waits for the disk. */
  CommitResult commit(WriteBatch batch, WorkMeter meter);

  /** The clock that gives every commit its cluster time. */
  CommitClock clock();

  /** Completes when everything up to that sequence number survives a power cut. */
  CompletableFuture<Void> whenDurable(long lsn);

  /** The sequence number of the last commit. */
  long lastLsn();

  /**
   * Small documents of the server itself (users, throughput of databases …), by kind and key; a
   * snapshot of one kind.
   */
  List<BsonDocument> settings(String kind);

  /** Stores a settings document under its {@code _id}; returns its sequence number. */
  long putSetting(String kind, BsonDocument document);

  /** Removes a settings document; false when there is none. */
  boolean removeSetting(String kind, String id);

  /** Splits a partition at a key of its range; returns when both children serve. */
  default void split(CollectionStore collection, int partition, String boundary) {
    split(collection, partition, boundary, () -> {});
  }

  /**
   * The same, and {@code pause} is called now and then, without any lock of a partition: what it
   * throws ends the split, and the parent serves on.
   */
  void split(CollectionStore collection, int partition, String boundary, Runnable pause);

  /**
   * Makes one partition out of two whose ranges are neighbours; returns its number when it serves.
   */
  default int merge(CollectionStore collection, int partition, int neighbour) {
    return merge(collection, partition, neighbour, () -> {});
  }

  /** The same, and {@code pause} is called now and then as in a split. */
  int merge(CollectionStore collection, int partition, int neighbour, Runnable pause);

  /** Checks all checksums and cross references of a collection; one line for each fault found. */
  List<String> validate(CollectionStore collection);

  /**
   * Checks a collection as {@link #validate} does, and makes everything anew that can be made from
   * the documents where there is a fault, while reads and writes go on. A document that cannot be
   * read any more is given up.
   *
   * @param pause called now and then, without any lock of a partition: what it throws ends the
   *     repair, and what was not yet made anew stays as it was
   */
  RepairResult repair(CollectionStore collection, Runnable pause);

  /**
   * Deletes a document that cannot be read any more, by its key alone, and returns the sequence
   * number; 0 when there is no such document, or it can be read after all.
   *
   * @param partitionKey null when the collection has none
   */
  long discard(CollectionStore collection, RawValue partitionKey, RawValue id);

  /** Bytes that the engine occupies on disk, log and indexes together. */
  long diskBytes();

  /** Stops cleanly: everything acknowledged is on disk, and the next start is instant. */
  @Override
  void close();
}
