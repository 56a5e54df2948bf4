package dev.orrery.storage.chronicle;

import dev.orrery.storage.StoredDocument;
import java.util.List;

/**
 * Keeps the children of a split up to date with their parent until they take over. Called under the
 * parent's lock.
 */
final class SplitMirror {
  private final ChronicleCollection collection;
  private final List<PhysicalPartition> children;

  SplitMirror(ChronicleCollection collection, List<PhysicalPartition> children) {
    this.collection = collection;
    this.children = children;
  }

  /** Adds a record of the parent, unless a mirrored insert brought it already. */
  void copy(StoredDocument document) {
    PrimaryKey key = collection.keys().of(document.document());
    PhysicalPartition child = owner(key);
    Collections.locked(
        child,
        () -> {
          if (child.files().slots().get(document.recordId()) == 0) {
            PendingWrite write = ChronicleCollection.prepare(child, key, null, document.document());
            write.recordId = document.recordId();
            IndexWriter.apply(child.files(), write, document.version());
            child.markChanged();
          }
        });
  }

  /** Repeats a commit of the parent; what the child does not have yet is copied later. */
  void apply(PendingWrite original, long position) {
    var document = original.isDelete() ? original.before.document() : original.after;
    PrimaryKey key = collection.keys().of(document);
    PhysicalPartition child = owner(key);
    Collections.locked(
        child,
        () -> {
          boolean isPresent = child.files().slots().get(original.recordId) != 0;
          if (isPresent || original.isInsert()) {
            PendingWrite write =
                ChronicleCollection.prepare(child, key, original.before, original.after);
            write.recordId = original.recordId;
            IndexWriter.apply(child.files(), write, position);
            child.markChanged();
          }
        });
  }

  /** Follows a record that compaction moved. */
  void move(long recordId, long from, long to) {
    for (PhysicalPartition child : children) {
      Collections.locked(child, () -> child.files().slots().replace(recordId, from, to));
    }
  }

  private PhysicalPartition owner(PrimaryKey key) {
    for (PhysicalPartition child : children) {
      if (child.range().contains(key.epk())) {
        return child;
      }
    }
    throw new IllegalStateException("no child owns " + key.epk());
  }
}
