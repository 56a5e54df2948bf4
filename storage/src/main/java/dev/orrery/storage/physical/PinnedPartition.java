package dev.orrery.storage.physical;

import dev.orrery.storage.IndexCursor;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.index.BTreeBound;
import dev.orrery.storage.keyindex.KeyIndex;
import dev.orrery.storage.log.LogRecord;
import dev.orrery.storage.partition.EpkRange;
import dev.orrery.storage.structure.DataRecord;
import dev.orrery.storage.structure.OrderedIndex;
import dev.orrery.storage.structure.PartitionFiles;
import dev.orrery.value.BsonEncoder;
import dev.orrery.value.RawDocument;
import java.util.Arrays;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A partition as it was at a point. The structures have the newest state; what they lack is in the
 * {@link History}, and what they have too much is found out by the versions of documents, which
 * name those before them.
 */
final class PinnedPartition implements LocalPartition {
  private final PinnedView view;
  private final PhysicalPartition partition;

  PinnedPartition(PinnedView view, PhysicalPartition partition) {
    this.view = view;
    this.partition = partition;
  }

  @Override
  public int id() {
    return partition.id();
  }

  @Override
  public EpkRange range() {
    return partition.range();
  }

  @Override
  public @Nullable PartitionFiles filesIfOpen() {
    return partition.filesIfOpen();
  }

  /** What was taken away since; null if there is nothing. */
  History history() {
    return partition.trail().history();
  }

  long point() {
    return view.lsn();
  }

  /**
   * Opens the structures until {@link #leave}; those of a partition that was split stay as well.
   */
  PartitionFiles enter() {
    view.requireOpen();
    if (!partition.tryEnter()) {
      StorageException gone = partition.gone();
      throw gone.reason() == StorageException.Reason.PARTITION_REPLACED
          ? new StorageException(StorageException.Reason.POINT_LOST, gone.getMessage(), gone)
          : gone;
    }
    return partition.files();
  }

  void leave() {
    partition.leave();
  }

  @Override
  public @Nullable StoredDocument findNow(byte[] primaryKey, WorkMeter meter) {
    PartitionFiles files = enter();
    try {
      long recordId = files.ids().find(primaryKey);
      StoredDocument found = recordId == KeyIndex.ABSENT ? null : read(files, recordId, meter);
      return found == null ? findDeleted(files, primaryKey, meter) : found;
    } finally {
      leave();
    }
  }

  private StoredDocument findDeleted(PartitionFiles files, byte[] primaryKey, WorkMeter meter) {
    History history = partition.trail().history();
    if (history != null) {
      for (long deleted : history.ids(primaryKey, view.lsn()).toArray()) {
        StoredDocument found = read(files, deleted, meter);
        if (found != null) {
          return found;
        }
      }
    }
    return null;
  }

  @Override
  public boolean copyNow(byte[] primaryKey, BsonEncoder out, WorkMeter meter) {
    StoredDocument found = findNow(primaryKey, meter);
    if (found != null) {
      out.writeDocument(found.document());
    }
    return found != null;
  }

  @Override
  public @Nullable StoredDocument readNow(long recordId, WorkMeter meter) {
    PartitionFiles files = enter();
    try {
      return read(files, recordId, meter);
    } finally {
      leave();
    }
  }

  private StoredDocument read(PartitionFiles files, long recordId, WorkMeter meter) {
    for (; ; ) {
      long position = newest(files, recordId);
      try {
        StoredDocument found = read(recordId, position);
        if (found != null) {
          meter.loadDocument(found.document().length());
        }
        return found;
      } catch (StorageException e) {
        boolean isMoved = newest(files, recordId) != position;
        if (e.reason() == StorageException.Reason.LOG_TRIMMED && !isMoved) {
          throw new StorageException(
              StorageException.Reason.POINT_LOST, "the log does not have the version any more", e);
        }
        if (e.reason() != StorageException.Reason.LOG_TRIMMED) {
          throw e;
        }
      }
    }
  }

  /** Where the newest version of a record is, be it a deletion; 0 if it is not known. */
  private long newest(PartitionFiles files, long recordId) {
    long position = Math.abs(files.slots().get(recordId));
    if (position == 0) {
      History history = partition.trail().history();
      return history == null ? 0 : history.position(recordId, view.lsn());
    }
    return position;
  }

  /** The version at the point, which is that at a position or one before it; null if none is. */
  private StoredDocument read(long recordId, long newest) {
    for (long position = newest; position != 0; ) {
      LogRecord record = partition.log().read(position, view.lsn());
      if (record.payload() != null) {
        return record.kind() == DataRecord.DELETE
            ? null
            : new StoredDocument(partition, recordId, position, RawDocument.wrap(record.payload()));
      }
      position = DataRecord.of(record.meta(), 0).previous();
    }
    return null;
  }

  /** Whether an entry that is in an index was there at the point. */
  boolean had(OrderedIndex index, BTreeBound entry) {
    if (partition.trail().lastLsn() <= view.lsn()) {
      return true;
    }
    PartitionFiles files = enter();
    try {
      long position = files.slots().get(entry.recordId());
      if (position > 0 && isSeen(position)) {
        return true; // it has not changed since
      }
    } finally {
      leave();
    }
    return hadRemoved(index, entry);
  }

  /** Whether an entry that was taken out of an index, sooner or later, was there at the point. */
  boolean hadRemoved(OrderedIndex index, BTreeBound entry) {
    PartitionFiles files = enter();
    try {
      StoredDocument document = read(files, entry.recordId(), new WorkMeter());
      return document != null
          && index.keysOf(document.document()).stream()
              .anyMatch(key -> Arrays.equals(key, entry.key()));
    } finally {
      leave();
    }
  }

  private boolean isSeen(long position) {
    try {
      return partition.log().versionLsn(position) <= view.lsn();
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.LOG_TRIMMED) {
        throw e;
      }
      return false; // moved meanwhile: look closer
    }
  }

  boolean has(IndexSpec spec) {
    PartitionFiles files = enter();
    try {
      return require(files, spec) != null;
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.POINT_LOST
          && e.reason() != StorageException.Reason.INDEX_DROPPED) {
        throw e;
      }
      return false;
    } finally {
      leave();
    }
  }

  /** The index, if it had all entries at the point. */
  OrderedIndex require(PartitionFiles files, IndexSpec spec) {
    OrderedIndex index = files.require(spec);
    if (index.since() > view.lsn()) {
      throw new StorageException(
          StorageException.Reason.POINT_LOST,
          "index '" + spec.name() + "' was built after the point that is read");
    }
    return index;
  }

  @Override
  public RecordCursor scan(boolean reverse) {
    return new PinnedScan(this, reverse);
  }

  @Override
  public IndexCursor scan(IndexSpec index, IndexRange range) {
    return new PinnedIndexCursor(this, index, range);
  }

  @Override
  public OptionalLong estimate(IndexSpec index, IndexRange range) {
    return partition.estimate(index, range);
  }

  @Override
  public PartitionStatistics statistics() {
    return partition.statistics();
  }

  @Override
  public IndexStatistics statistics(IndexSpec index) {
    return partition.statistics(index);
  }

  @Override
  public LargestKey largestKey() {
    return partition.largestKey();
  }

  @Override
  public String toString() {
    return partition + " at " + view.lsn();
  }
}
