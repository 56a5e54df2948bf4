package dev.orrery.storage.chronicle;

import dev.orrery.storage.IndexCursor;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.index.BTreeBound;
import dev.orrery.storage.index.BTreeCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A scan of one index of one partition. Almost always there is one source; after a split there is
 * one for each child, and the smallest (or largest) entry among them comes next.
 */
final class PartitionIndexCursor implements IndexCursor {
  private final String index;
  private final IndexRange range;
  private List<Source> sources;
  private Source current;

  /** A partition's tree, and whether its cursor stands on an entry that was not returned yet. */
  private static final class Source {
    final PhysicalPartition partition;
    final OrderedIndex index;
    final BTreeCursor cursor;
    boolean isLoaded;
    boolean isExhausted;

    Source(PhysicalPartition partition, OrderedIndex index, IndexRange range) {
      this.partition = partition;
      this.index = index;
      this.cursor = index.cursor(range);
    }
  }

  PartitionIndexCursor(PhysicalPartition partition, String index, IndexRange range) {
    this.index = index;
    this.range = range;
    this.sources = new ArrayList<>(1);
    if (partition.children() == null) {
      sources.add(open(partition));
    } else {
      partition.children().forEach(child -> sources.add(open(child)));
    }
  }

  private Source open(PhysicalPartition partition) {
    PartitionFiles files = partition.enter();
    try {
      return new Source(partition, files.require(index), range);
    } finally {
      partition.leave();
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
        source.isExhausted = !source.cursor.next();
        source.isLoaded = !source.isExhausted;
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
      order = Long.compare(left.cursor.recordId(), right.cursor.recordId());
    }
    return range.reverse() ? order > 0 : order < 0;
  }

  /** Goes on in the children behind the entry that was returned last. */
  private void followSplits() {
    var replaced = new ArrayList<Source>();
    for (Source source : sources) {
      List<PhysicalPartition> children = source.partition.children();
      if (children != null) {
        children.forEach(child -> replaced.add(openBehindCurrent(child)));
      } else if (!source.partition.isDropped()) {
        source.partition.files().require(index); // throws if the index itself was dropped
        replaced.add(source);
      }
    }
    sources = replaced;
  }

  private Source openBehindCurrent(PhysicalPartition partition) {
    Source opened = open(partition);
    if (current != null) {
      opened.cursor.seek(behind(current.cursor));
    }
    return opened;
  }

  private BTreeBound behind(BTreeCursor cursor) {
    return range.reverse()
        ? BTreeBound.at(cursor.key(), cursor.recordId())
        : BTreeBound.afterEntry(cursor.key(), cursor.recordId());
  }

  @Override
  public byte[] key() {
    return current.cursor.key();
  }

  @Override
  public long recordId() {
    return current.cursor.recordId();
  }

  @Override
  public PartitionStore.FieldsSeen fieldsSeen() {
    return current.index.fieldsSeen();
  }

  @Override
  public StoredDocument fetch(WorkMeter meter) {
    return fetch(current.partition, current.cursor.recordId(), meter);
  }

  private static StoredDocument fetch(PhysicalPartition partition, long id, WorkMeter meter) {
    List<PhysicalPartition> children = partition.children();
    if (children == null) {
      return partition.isDropped() ? null : partition.read(id, meter);
    }
    for (PhysicalPartition child : children) {
      StoredDocument found = fetch(child, id, meter);
      if (found != null) {
        return found;
      }
    }
    return null;
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
