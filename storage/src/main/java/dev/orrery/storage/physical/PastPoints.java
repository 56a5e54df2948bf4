package dev.orrery.storage.physical;

import dev.orrery.lane.Lane;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.log.LogCursor;
import dev.orrery.storage.log.LogGroup;
import dev.orrery.storage.log.SegmentInfo;
import dev.orrery.storage.log.Stamp;
import dev.orrery.storage.structure.DataRecord;
import dev.orrery.value.RawDocument;
import java.util.List;

/**
 * Opens points in the past, at which nobody read then. What commits have taken away since is found
 * out from the log and kept as if the point had been open all the time. Where the log lacks
 * something the point is lost.
 */
public final class PastPoints {
  private final Log log;
  private final Collections collections;
  private final ReadPoints points;
  private final long startLsn;

  /**
   * @param startLsn the last commit before the start: of partitions before that nothing is known
   */
  public PastPoints(Log log, Collections collections, ReadPoints points, long startLsn) {
    this.log = log;
    this.collections = collections;
    this.points = points;
    this.startLsn = startLsn;
  }

  /** The state after the last commit whose cluster time is not later; waits. */
  public PinnedView open(long time) {
    Lane.requireMayWait();
    Stamp newest = log.last();
    if (Long.compareUnsigned(time, newest.time()) >= 0) {
      return new PinnedView(points, points.open());
    }
    Stamp stamp = find(time);
    var view = new PinnedView(points, points.open(stamp));
    try {
      remember(stamp.lsn());
      return view;
    } catch (RuntimeException | Error e) {
      view.close();
      throw e;
    }
  }

  /** The last group that is not later than a time. */
  private Stamp find(long time) {
    log.awaitDurable(log.lastLsn());
    List<SegmentInfo> segments = log.segments();
    for (int i = segments.size() - 1; i >= 0; i--) {
      Stamp found = last(segments.get(i), time);
      if (found != null) {
        if (found.lsn() < startLsn) {
          break;
        }
        return found;
      }
    }
    throw lost();
  }

  /** The last group of a segment that is not later; null if the first one is. */
  private Stamp last(SegmentInfo segment, long time) {
    LogCursor groups = log.from(segment.firstLsn());
    Stamp found = null;
    for (LogGroup group = groups.next();
        group != null && group.lsn() <= segment.lastLsn();
        group = groups.next()) {
      if (Long.compareUnsigned(group.stamp().time(), time) > 0) {
        break;
      }
      found = group.stamp();
    }
    return found;
  }

  /** Keeps what all commits after one took away. */
  private void remember(long lsn) {
    long end = log.lastLsn(); // later commits know of the point
    log.awaitDurable(end);
    LogCursor groups = log.from(lsn + 1);
    for (long next = lsn + 1; next <= end; next++) {
      LogGroup group = groups.next();
      if (group == null || group.lsn() != next) {
        throw lost();
      }
      for (int i = 0; i < group.size(); i++) {
        byte kind = group.kind(i);
        if (kind == DataRecord.REPLACE || kind == DataRecord.DELETE) {
          remember(group, i, lsn);
        }
      }
    }
  }

  private void remember(LogGroup group, int index, long point) {
    DataRecord record = DataRecord.of(group.source(), group.metaOffset(index));
    ChronicleCollection collection = collections.find(record.collection());
    if (collection == null || !collection.exists()) {
      return; // nobody can read it any more
    }
    if (!collection.isUnchangedSince(point)) {
      throw lost();
    }
    RawDocument before = RawDocument.wrap(before(record));
    PhysicalPartition partition = collection.partitionOf(collection.partitionKeyOf(before));
    var stored = new StoredDocument(partition, record.recordId(), record.previous(), before);
    RawDocument after =
        group.kind(index) == DataRecord.DELETE ? null : RawDocument.wrap(group.payload(index));
    PendingWrite write = collection.prepare(stored, after);
    Lane.take(partition.lock);
    try {
      History history = partition.trail().historyFor(group.lsn());
      if (history != null) {
        history.add(group.lsn(), write, group.position(index));
      }
    } finally {
      partition.lock.unlock();
    }
  }

  private byte[] before(DataRecord record) {
    try {
      return log.readPayload(record.previous());
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.LOG_TRIMMED) {
        throw e;
      }
      throw lost();
    }
  }

  private static StorageException lost() {
    return new StorageException(
        StorageException.Reason.POINT_LOST, "the log does not reach back to the point any more");
  }
}
