package dev.orrery.storage;

import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawValue;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * Collections, indexes, partitions and settings as things that come, change and go. Every method
 * waits, for the disk and for others who change the same, and is refused on threads that must not:
 * on an event loop it throws a {@link dev.orrery.lane.WouldWaitException} and has changed nothing.
 *
 * <p>What would change a collection that was dropped, or an index that is not there, throws a
 * {@link StorageException} that says so and writes nothing, unless the method says otherwise.
 */
public interface Structures {
  /** Creates a collection or view; returns null when the name is taken. */
  @Nullable CollectionStore create(Namespace namespace, CollectionInfo.Creation creation);

  /** Drops a collection with all its documents; false when it is gone already. */
  boolean drop(CollectionStore collection);

  /**
   * Drops a collection that has no documents; false when it has some, or is gone already. Whoever
   * inserts at the same time comes first, or finds it dropped.
   */
  boolean dropEmpty(CollectionStore collection);

  /**
   * Puts a new collection in the place of an empty one, at once: whoever inserts at the same time
   * either comes first, and null is returned, or writes to the new one. Null also when the
   * collection is gone.
   */
  @Nullable CollectionStore replaceEmpty(
      CollectionStore collection, CollectionInfo.Creation creation);

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
   *
   * @param missing says which ones, of the indexes at the moment when no other can come or go
   * @param pause called now and then, without any lock of a partition: what it throws ends the
   *     build as a failure does
   */
  void createIndexes(
      CollectionStore collection,
      Function<CollectionInfo, List<IndexSpec>> missing,
      Runnable pause);

  /** The same for indexes that are known not to be there. */
  default void createIndexes(CollectionStore collection, List<IndexSpec> indexes) {
    createIndexes(collection, present -> indexes, () -> {});
  }

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

  /**
   * Small documents of the server itself (users, throughput of databases …), by kind and key; a
   * snapshot of one kind.
   */
  List<BsonDocument> settings(String kind);

  /** Stores a settings document under its {@code _id}. */
  Receipt putSetting(String kind, BsonDocument document);

  /** Removes a settings document; false when there is none. */
  boolean removeSetting(String kind, String id);

  /**
   * Tells all who follow the changes of this engine something that no other change tells, at the
   * place that it has among them. Nothing else comes of it.
   */
  Receipt announce(BsonDocument announcement);

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
   * Deletes a document that cannot be read any more, by its key alone; {@link Receipt#NONE} when
   * there is no such document, or it can be read after all.
   *
   * @param partitionKey null when the collection has none
   */
  Receipt discard(CollectionStore collection, @Nullable RawValue partitionKey, RawValue id);
}
