package dev.orrery.storage.chronicle;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.log.Appended;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.log.LogCursor;
import dev.orrery.storage.log.LogGroup;
import dev.orrery.storage.log.RecordGroup;
import dev.orrery.storage.log.SegmentInfo;
import dev.orrery.storage.value.RawDocument;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * Copies the live documents of a mostly dead segment to the end of the log, so that the segment can
 * be deleted. Cursors do not notice: they hold record ids, and a record's slot names its new place.
 */
final class Compaction {
  private static final int BATCH_RECORDS = 128;
  private static final int BATCH_BYTES = 1 << 20;

  private final ChronicleEngine engine;
  private final Log log;
  private final Map<Long, Long> emptiedAt = new HashMap<>();
  private volatile boolean hasDropped;

  Compaction(ChronicleEngine engine) {
    this.engine = engine;
    this.log = engine.log();
  }

  /** A live document that is about to move. */
  private record Live(PhysicalPartition partition, DataRecord record, long position, byte[] body) {}

  /**
   * Sealed segments that are more than half garbage and older than what readers of changes need.
   */
  List<SegmentInfo> candidates(Runnable pause) {
    List<SegmentInfo> segments = log.segments();
    countDropped(segments, pause);
    var candidates = new ArrayList<SegmentInfo>();
    long newerBytes = 0;
    for (int i = segments.size() - 1; i >= 0; i--) {
      SegmentInfo segment = segments.get(i);
      boolean isOld = newerBytes >= engine.options().compacting().feedBytes();
      if (segment.sealed() && isOld && 2 * deadBytes(segment) > segment.bytes()) {
        candidates.add(0, segment);
      }
      newerBytes += segment.bytes();
    }
    return candidates;
  }

  /** Whether the log is more than half garbage, so that it must not grow much more. */
  boolean isOverdue() {
    long bytes = 0;
    long dead = 0;
    for (SegmentInfo segment : log.segments()) {
      bytes += segment.bytes();
      dead += deadBytes(segment);
    }
    return 2 * dead > bytes;
  }

  private long deadBytes(SegmentInfo segment) {
    return engine.garbage().of(segment.number());
  }

  /** After a drop nobody knows how much of each segment was its documents: count it again. */
  private void countDropped(List<SegmentInfo> segments, Runnable pause) {
    if (!hasDropped) {
      return;
    }
    hasDropped = false;
    boolean isCounted = false;
    try {
      segments.forEach(segment -> countAgain(segment, pause));
      isCounted = true;
    } finally {
      hasDropped |= !isCounted; // the next round tries again
    }
  }

  private void countAgain(SegmentInfo segment, Runnable pause) {
    if (segment.sealed() && !emptiedAt.containsKey(segment.number())) {
      long live = liveBytes(segment, pause);
      engine.garbage().forget(segment.number());
      engine.garbage().addBytes(segment.number(), Math.max(0, segment.bytes() - live));
    }
  }

  void noteDropped(int collection) {
    hasDropped = true;
  }

  private long liveBytes(SegmentInfo segment, Runnable pause) {
    long live = 0;
    int seen = 0;
    LogCursor cursor = log.from(segment.firstLsn());
    for (LogGroup group = cursor.next();
        group != null && group.lsn() <= segment.lastLsn();
        group = cursor.next()) {
      for (int i = 0; i < group.size(); i++) {
        if (findLive(group, i) != null) {
          live += group.payloadLength(i) + Garbage.RECORD_OVERHEAD_BYTES;
        }
        if (++seen % BATCH_RECORDS == 0) {
          pause.run();
        }
      }
    }
    return live;
  }

  /**
   * Moves all live documents of a segment; false when it was asked to stop before the end.
   *
   * @param pause called after every slice of the work; may wait
   */
  boolean run(SegmentInfo segment, BooleanSupplier isStopping, Runnable pause) {
    var batch = new ArrayList<Live>();
    int batchBytes = 0;
    LogCursor cursor = log.from(segment.firstLsn());
    for (LogGroup group = cursor.next();
        group != null && group.lsn() <= segment.lastLsn();
        group = cursor.next()) {
      for (int i = 0; i < group.size(); i++) {
        Live live = findLive(group, i);
        if (live == null) {
          continue;
        }
        batch.add(live);
        batchBytes += live.body().length;
        if (batch.size() == BATCH_RECORDS || batchBytes >= BATCH_BYTES) {
          if (isStopping.getAsBoolean()) {
            return false;
          }
          move(batch);
          pause.run();
          batch.clear();
          batchBytes = 0;
        }
      }
    }
    move(batch);
    emptiedAt.put(segment.number(), log.lastLsn());
    return true;
  }

  /** The log must be saved up to here before the segment may go. */
  long emptiedAt(SegmentInfo segment) {
    return emptiedAt.getOrDefault(segment.number(), Long.MAX_VALUE);
  }

  /** The document of a record if it is still there, else null. */
  private Live findLive(LogGroup group, int index) {
    byte kind = group.kind(index);
    if (kind == DataRecord.CATALOG || kind == DataRecord.DELETE) {
      return null;
    }
    DataRecord record = DataRecord.of(group.source(), group.metaOffset(index));
    ChronicleCollection collection = engine.all().find(record.collection());
    if (collection == null) {
      return null;
    }
    byte[] body = group.payload(index);
    PrimaryKey key = collection.keys().of(RawDocument.wrap(body));
    PhysicalPartition partition = collection.partitionOf(key);
    long position = group.position(index);
    long id = collection.info().partitions().recordIdNow(key.epk(), group.lsn(), record.recordId());
    record = new DataRecord(record.collection(), id, record.previous());
    if (!partition.tryEnter()) {
      return retryAfterSplit(group, index, collection);
    }
    try {
      boolean isLive = partition.files().slots().get(record.recordId()) == position;
      return isLive ? new Live(partition, record, position, body) : null;
    } finally {
      partition.leave();
    }
  }

  private Live retryAfterSplit(LogGroup group, int index, ChronicleCollection collection) {
    return collection.exists() ? findLive(group, index) : null;
  }

  private void move(List<Live> batch) {
    var byPartition = new IdentityHashMap<PhysicalPartition, List<Live>>();
    for (Live live : batch) {
      byPartition.computeIfAbsent(live.partition(), absent -> new ArrayList<>()).add(live);
    }
    byPartition.forEach(this::moveWithin);
  }

  private void moveWithin(PhysicalPartition partition, List<Live> batch) {
    partition.lock.lock();
    try {
      if (partition.isRetired()) {
        // Split or merged while we gathered: the children have the old places. Come back for this
        // segment.
        throw new StorageException(
            StorageException.Reason.UNAVAILABLE, partition + " was split during compaction");
      }
      if (partition.isDropped()) {
        return;
      }
      var slots = partition.files().slots();
      var group = new RecordGroup();
      var moved = new ArrayList<Live>();
      for (Live live : batch) {
        if (slots.get(live.record().recordId()) == live.position()) {
          DataRecord old = live.record();
          var record = new DataRecord(old.collection(), old.recordId(), live.position());
          group.add(DataRecord.MOVE, record.meta(), live.body());
          moved.add(live);
        }
      }
      if (moved.isEmpty()) {
        return;
      }
      Appended appended = log.append(group);
      for (int i = 0; i < moved.size(); i++) {
        Live live = moved.get(i);
        slots.set(live.record().recordId(), appended.positions()[i]);
        if (partition.mirror() != null) {
          partition
              .mirror()
              .move(live.record().recordId(), live.position(), appended.positions()[i]);
        }
      }
      partition.markChanged();
    } finally {
      partition.lock.unlock();
    }
  }
}
