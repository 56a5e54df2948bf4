package dev.orrery.storage.physical;

import dev.orrery.storage.IndexCursor;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.index.BTreeBound;
import dev.orrery.storage.index.BTreeCursor;
import dev.orrery.storage.structure.OrderedIndex;
import dev.orrery.storage.structure.PartitionFiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A scan of one index of one partition. Almost always there is one source; after a split there is
 * one for each child, and the smallest (or largest) entry among them comes next. After a merge,
 * entries of the other partition are passed over.
 */
final class PartitionIndexCursor implements IndexCursor {
  private final IndexSpec index;
  private final IndexRange range;
  private List<Source> sources;
  private Source current;

  /** A partition's tree, and whether its cursor stands on an entry that was not returned yet. */
  private static final class Source {
    final PhysicalPartition partition;
    final Lineage lineage;
    final OrderedIndex index;
    final BTreeCursor cursor;
    boolean isLoaded;
    boolean isExhausted;

    Source(PhysicalPartition partition, Lineage lineage, OrderedIndex index, IndexRange range) {
      this.partition = partition;
      this.lineage = lineage;
      this.index = index;
      this.cursor = index.cursor(range);
    }

    /** The record's id in the partition that the cursor was opened on. */
    long recordId() {
      return lineage.original(cursor.recordId());
    }

    /** Brings the cursor to its next entry that is not the other partition's. */
    void load() {
      boolean isFound = cursor.next();
      while (isFound && lineage.isShared() && !isOwn()) {
        isFound = cursor.next();
      }
      isLoaded = isFound;
      isExhausted = !isFound;
    }

    private boolean isOwn() {
      StoredDocument document = partition.readNow(cursor.recordId(), new WorkMeter());
      return document != null && lineage.isOwn(document.document());
    }
  }

  PartitionIndexCursor(PhysicalPartition partition, IndexSpec index, IndexRange range) {
    this.index = index;
    this.range = range;
    this.sources = new ArrayList<>(1);
    open(partition, Lineage.NONE, sources);
  }

  /** Opens the index there, or wherever the partition's documents are now. */
  private void open(PhysicalPartition partition, Lineage lineage, List<Source> opened) {
    if (!partition.isRetired() && partition.tryEnter()) {
      try {
        opened.add(new Source(partition, lineage, partition.files().require(index), range));
      } finally {
        partition.leave();
      }
      return;
    }
    if (!partition.isRetired()) {
      throw partition.gone();
    }
    for (Successor successor : partition.successors()) {
      open(successor.partition(), lineage.then(successor), opened);
    }
  }

  @Override
  public boolean next(WorkMeter meter) {
    meter.examineKeys(1);
    if (current != null) {
      current.isLoaded = false;
    }
    while (!load()) {
      followSplits();
    }
    Source next = null;
    for (Source source : sources) {
      if (!source.isExhausted && (next == null || isBefore(source, next))) {
        next = source;
      }
    }
    if (next == null) {
      return false;
    }
    current = next;
    return true;
  }

  /** Brings every source to its next entry; false when one was split or dropped meanwhile. */
  private boolean load() {
    for (Source source : sources) {
      if (source.isLoaded || source.isExhausted) {
        continue;
      }
      if (!source.index.tryEnter()) {
        return false;
      }
      try {
        source.load();
      } finally {
        source.index.leave();
      }
    }
    return true;
  }

  private boolean isBefore(Source left, Source right) {
    int order =
        Arrays.compareUnsigned(
            left.cursor.keyArray(),
            left.cursor.keyOffset(),
            left.cursor.keyOffset() + left.cursor.keyLength(),
            right.cursor.keyArray(),
            right.cursor.keyOffset(),
            right.cursor.keyOffset() + right.cursor.keyLength());
    if (order == 0) {
      order = Long.compare(left.recordId(), right.recordId());
    }
    return range.reverse() ? order > 0 : order < 0;
  }

  /** Goes on in the children behind the entry that was returned last. */
  private void followSplits() {
    var replaced = new ArrayList<Source>();
    for (Source source : sources) {
      if (source.partition.isRetired()) {
        openBehindCurrent(source, replaced);
      } else if (!source.partition.isDropped()) {
        requirePresent(source);
        replaced.add(source);
      }
    }
    sources = replaced;
  }

  /** Another index of the same name, even with the same keys, does not know where this one was. */
  private void requirePresent(Source source) {
    if (!source.index.tryEnter()) {
      throw source.partition.tryEnter() ? leaving(source) : source.partition.gone();
    }
    source.index.leave();
  }

  private StorageException leaving(Source source) {
    source.partition.leave();
    return PartitionFiles.dropped(index);
  }

  private void openBehindCurrent(Source source, List<Source> replaced) {
    var opened = new ArrayList<Source>();
    open(source.partition, source.lineage, opened);
    if (current != null) {
      opened.forEach(one -> one.cursor.seek(behindCurrent(one.lineage)));
    }
    replaced.addAll(opened);
  }

  /** Ids that merges raised are still in the order that they were in before. */
  private BTreeBound behindCurrent(Lineage lineage) {
    byte[] key = current.cursor.key();
    long recordId = lineage.recordId(current.recordId());
    return range.reverse() ? BTreeBound.at(key, recordId) : BTreeBound.afterEntry(key, recordId);
  }

  @Override
  public byte[] key() {
    return current.cursor.key();
  }

  @Override
  public long recordId() {
    return current.recordId();
  }

  @Override
  public PartitionStore.FieldsSeen fieldsSeen() {
    return current.index.fieldsSeen();
  }

  @Override
  public CompletionStage<Boolean> load(WorkMeter meter) {
    return LocalPartition.NO; // all is at hand
  }

  @Override
  public void seek(byte[] key) {
    BTreeBound bound = range.reverse() ? BTreeBound.after(key) : BTreeBound.before(key);
    for (Source source : sources) {
      source.cursor.seek(bound);
      source.isLoaded = false;
      source.isExhausted = false;
    }
  }
}
