package dev.orrery.storage.physical;

import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.partition.Renumbering;
import dev.orrery.storage.structure.PrimaryKey;
import java.util.List;

/**
 * Keeps the children of a split or a merge up to date with a parent until they take over. Called
 * under the parent's lock.
 */
public final class SplitMirror {
  private final ChronicleCollection collection;
  private final List<PhysicalPartition> children;
  private final Renumbering renumbering;
  private final long recordIdMax;
  private boolean isOverrun;

  /** Keeps all record ids. */
  public SplitMirror(ChronicleCollection collection, List<PhysicalPartition> children) {
    this(collection, children, null, Long.MAX_VALUE);
  }

  /**
   * @param renumbering what happens to the parent's record ids; null when they stay
   * @param recordIdMax the highest of the parent's ids for which there is room
   */
  public SplitMirror(
      ChronicleCollection collection,
      List<PhysicalPartition> children,
      Renumbering renumbering,
      long recordIdMax) {
    this.collection = collection;
    this.children = children;
    this.renumbering = renumbering;
    this.recordIdMax = recordIdMax;
  }

  /** Whether the parent took so many writes meanwhile that there was no room for all. */
  public boolean isOverrun() {
    return isOverrun;
  }

  private long recordId(long ofParent) {
    return renumbering == null ? ofParent : renumbering.apply(ofParent);
  }

  /** Adds a record of the parent, unless a mirrored insert brought it already. */
  public void copy(StoredDocument document) {
    PrimaryKey key = collection.keys().of(document.document());
    PhysicalPartition child = owner(key);
    long recordId = recordId(document.recordId());
    Collections.locked(
        child,
        () -> {
          if (child.files().slots().get(recordId) == 0) {
            PendingWrite write = ChronicleCollection.prepare(child, key, null, document.document());
            write.recordId = recordId;
            IndexWriter.apply(child.files(), write, document.version());
            child.markChanged();
          }
        });
  }

  /** Repeats a commit of the parent; what the child does not have yet is copied later. */
  public void apply(PendingWrite original, long position) {
    if (original.recordId > recordIdMax) {
      isOverrun = true;
      return;
    }
    var document = original.isDelete() ? original.before.document() : original.after;
    PrimaryKey key = collection.keys().of(document);
    PhysicalPartition child = owner(key);
    long recordId = recordId(original.recordId);
    Collections.locked(
        child,
        () -> {
          boolean isPresent = child.files().slots().get(recordId) != 0;
          if (isPresent || original.isInsert()) {
            PendingWrite write =
                ChronicleCollection.prepare(child, key, original.before, original.after);
            write.recordId = recordId;
            IndexWriter.apply(child.files(), write, position);
            child.markChanged();
          }
        });
  }

  /** Follows a record that compaction moved. */
  public void move(long ofParent, long from, long to) {
    for (PhysicalPartition child : children) {
      Collections.locked(child, () -> child.files().slots().replace(recordId(ofParent), from, to));
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
