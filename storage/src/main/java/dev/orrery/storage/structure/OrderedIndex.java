package dev.orrery.storage.structure;

import dev.orrery.storage.IndexRange;
import dev.orrery.storage.PartitionStore.FieldsSeen;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.index.BTree;
import dev.orrery.storage.index.BTreeBound;
import dev.orrery.storage.index.BTreeCursor;
import dev.orrery.storage.index.IndexKeySet;
import dev.orrery.storage.index.IndexKeys;
import dev.orrery.storage.keyindex.KeyIndex;
import dev.orrery.value.RawDocument;
import java.util.List;

/**
 * One index of one partition: an ordered tree of (key, record id), and for a unique index a map
 * from (partition key, key) to the record that has it.
 */
public final class OrderedIndex {
  private final IndexEntry entry;
  private final IndexKeys keys;
  private final BTree tree;
  private final KeyIndex unique;
  private final IndexNotes notes;
  private final Guard guard;
  private final boolean isPreparedUnique;
  private final long since;

  /**
   * @param unique null when the index is not unique, or when uniqueness is kept elsewhere ({@code
   *     _id})
   */
  OrderedIndex(IndexEntry entry, IndexKeys keys, BTree tree, KeyIndex unique) {
    this.entry = entry;
    this.keys = keys;
    this.tree = tree;
    this.unique = unique;
    this.notes = new IndexNotes(tree);
    this.guard = new Guard();
    this.isPreparedUnique = entry.spec().isPreparedUnique();
    this.since = 0;
  }

  private OrderedIndex(OrderedIndex other, IndexEntry changed, long since) {
    this.entry = changed;
    this.keys = other.keys;
    this.tree = other.tree;
    this.unique = other.unique;
    this.notes = other.notes;
    this.guard = other.guard;
    this.isPreparedUnique = changed.spec().isPreparedUnique();
    this.since = since;
  }

  /**
   * The same files under a changed description.
   *
   * @param lsn of the change
   */
  public OrderedIndex withEntry(IndexEntry changed, long lsn) {
    boolean isCompleted = changed.ready() && !entry.ready();
    return new OrderedIndex(this, changed, isCompleted ? lsn : since);
  }

  /** From which commit on all entries are known; 0 if it was there at the start. */
  public long since() {
    return since;
  }

  public IndexEntry entry() {
    return entry;
  }

  public IndexSpec spec() {
    return entry.spec();
  }

  public BTree tree() {
    return tree;
  }

  /** Null when there is no uniqueness to keep here. */
  public KeyIndex unique() {
    return unique;
  }

  /** The keys of a document, sorted, each once. */
  public List<byte[]> keysOf(RawDocument document) {
    IndexKeySet set = keys.extract(document);
    notes.add(set);
    return set.keys();
  }

  /** Whether it refuses new duplicates without being unique. */
  public boolean isPreparedUnique() {
    return isPreparedUnique;
  }

  /** Whether another record has the key. */
  public boolean hasOther(byte[] key, long recordId) {
    BTreeCursor holders = tree.ascending(BTreeBound.before(key), BTreeBound.after(key)).expect(2);
    while (holders.next()) {
      if (holders.recordId() != recordId) {
        return true;
      }
    }
    return false;
  }

  public FieldsSeen fieldsSeen() {
    return notes.seen();
  }

  public long entries() {
    return tree.count();
  }

  public long bytes() {
    return tree.totalBytes() + (unique == null ? 0 : unique.diskBytes());
  }

  public long estimate(IndexRange range) {
    return tree.estimate(BTreeBound.low(range), BTreeBound.high(range));
  }

  public BTreeCursor cursor(IndexRange range) {
    BTreeBound low = BTreeBound.low(range);
    BTreeBound high = BTreeBound.high(range);
    return range.reverse() ? tree.descending(low, high) : tree.ascending(low, high);
  }

  /** Lets the caller use the tree until it calls {@link #leave}; false when the index is gone. */
  public boolean tryEnter() {
    return guard.tryEnter();
  }

  public void leave() {
    guard.leave();
  }

  /** Closes and deletes the files as soon as nobody reads them. */
  public void delete() {
    guard.end(
        () -> {
          tree.delete();
          if (unique != null) {
            unique.delete();
          }
        });
  }

  void close() {
    guard.end(
        () -> {
          tree.close();
          if (unique != null) {
            unique.close();
          }
        });
  }
}
