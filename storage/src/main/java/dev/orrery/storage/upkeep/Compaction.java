package dev.orrery.storage.upkeep;

import dev.orrery.storage.Advice;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.log.Appended;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.log.LogCursor;
import dev.orrery.storage.log.LogGroup;
import dev.orrery.storage.log.RecordGroup;
import dev.orrery.storage.log.SegmentInfo;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.physical.Garbage;
import dev.orrery.storage.physical.PhysicalPartition;
import dev.orrery.storage.reshape.EngineParts;
import dev.orrery.storage.structure.DataRecord;
import dev.orrery.storage.structure.PrimaryKey;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the live documents of a mostly dead segment to the end of the log, so that the segment can
 * be deleted. Cursors do not notice: they hold record ids, and a record's slot names its new place.
 */
public final class Compaction {
  private static final int BATCH_RECORDS = 128;
  private static final int BATCH_BYTES = 1 << 20;

  /** A smaller segment is not sealed for the little room that it would give. */
  private static final long ACTIVE_BYTES_MIN = 256 << 10;

  private static final Logger LOGGER = LoggerFactory.getLogger(Compaction.class);

  /** No number of dead bytes: whoever finds this looks at the segment. */
  private static final long NEVER_SEEN = -1;

  private final EngineParts engine;
  private final Log log;
  private final UpkeepOptions.Feed feed;
  private final Map<Long, Long> emptiedAt = new HashMap<>();

  /** Damaged segments, and how much of each was dead when it was last looked at. */
  private final Map<Long, Long> damaged = new HashMap<>();

  private final Queue<Long> suspects = new ConcurrentLinkedQueue<>();
  private final Set<Long> told = new HashSet<>();
  private volatile boolean hasDropped;
  private boolean isHurried;

  /**
   * @param feed how much of the newest log is left alone
   */
  public Compaction(EngineParts engine, UpkeepOptions.Feed feed) {
    this.engine = engine;
    this.feed = feed;
    this.log = engine.log();
  }

  /** What became of a segment. */
  public enum Outcome {
    /** It can go when the next checkpoint is complete. */
    EMPTIED,
    /** Documents stay in it that cannot be read. */
    HELD,
    /** There was no time to finish it. */
    STOPPED
  }

  /** A live document that is about to move. */
  record Live(
      PhysicalPartition partition,
      DataRecord record,
      long versionLsn,
      long position,
      byte[] body) {}

  /**
   * Sealed segments that are more than half garbage and older than what readers of changes need,
   * and damaged ones of which something died since they were looked at.
   */
  public List<SegmentInfo> candidates(Runnable pause) {
    List<SegmentInfo> segments = log.segments();
    countDropped(segments, pause);
    for (Long suspect = suspects.poll(); suspect != null; suspect = suspects.poll()) {
      damaged.put(suspect, NEVER_SEEN);
    }
    var candidates = new ArrayList<SegmentInfo>();
    long room = engine.diskSpace().roomForMoves();
    long newerBytes = 0;
    for (int i = segments.size() - 1; i >= 0; i--) {
      SegmentInfo segment = segments.get(i);
      boolean isOld = isHurried || !isFollowed(segment, newerBytes);
      boolean hasRoom = segment.bytes() - deadBytes(segment) < room;
      if (segment.sealed() && hasRoom && isWorthwhile(segment, isOld)) {
        candidates.add(0, segment);
      }
      newerBytes += segment.bytes();
    }
    return candidates;
  }

  private boolean isWorthwhile(SegmentInfo segment, boolean isOld) {
    Long seen = damaged.get(segment.number());
    long dead = deadBytes(segment);
    return seen == null ? isOld && 2 * dead > segment.bytes() : seen != dead;
  }

  /** Whether readers of changes may still want the segment. */
  private boolean isFollowed(SegmentInfo segment, long newerBytes) {
    return newerBytes < feed.bytes() && log.millis() - segment.lastMillis() <= feed.millis();
  }

  /** Whether room matters more than what readers of changes might want. */
  void hurry(boolean isNeeded) {
    isHurried = isNeeded;
  }

  boolean isHurried() {
    return isHurried;
  }

  /** Whether the segment that is written to is mostly garbage, and more than a new one takes. */
  boolean isActiveWorthwhile() {
    List<SegmentInfo> segments = log.segments();
    SegmentInfo active = segments.get(segments.size() - 1);
    return !active.sealed()
        && active.bytes() >= ACTIVE_BYTES_MIN
        && 2 * deadBytes(active) > active.bytes()
        && active.bytes() - deadBytes(active) < engine.diskSpace().roomForMoves();
  }

  /** A document in this segment cannot be read and was given up: what else is in it may move. */
  void suspect(long segment) {
    suspects.add(segment);
  }

  /** Whether the log is more than half garbage, so that it must not grow much more. */
  public boolean isOverdue() {
    long bytes = 0;
    long dead = 0;
    long newerBytes = 0;
    List<SegmentInfo> segments = log.segments();
    for (int i = segments.size() - 1; i >= 0; i--) {
      SegmentInfo segment = segments.get(i);
      boolean isLeftAlone =
          isFollowed(segment, newerBytes) || damaged.containsKey(segment.number());
      if (!isLeftAlone) { // else no hurry helps
        bytes += segment.bytes();
        dead += deadBytes(segment);
      }
      newerBytes += segment.bytes();
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
      long live;
      try {
        live = liveBytes(segment, pause);
      } catch (StorageException e) {
        requireDamage(e);
        damaged.put(segment.number(), NEVER_SEEN); // nobody can count there: the slots must tell
        return;
      }
      engine.garbage().forget(segment.number());
      engine.garbage().addBytes(segment.number(), Math.max(0, segment.bytes() - live));
    }
  }

  private static void requireDamage(StorageException failure) {
    if (failure.reason() != StorageException.Reason.CORRUPT) {
      throw failure;
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
   * Moves all live documents of a segment. One that is damaged does not keep others from their
   * turn: what can be read of it moves too, and the rest is told of once.
   *
   * @param pause called after every slice of the work; may wait
   */
  public Outcome run(SegmentInfo segment, BooleanSupplier isStopping, Runnable pause) {
    if (!damaged.containsKey(segment.number())) {
      try {
        return moveAll(segment, isStopping, pause) ? emptied(segment) : Outcome.STOPPED;
      } catch (StorageException e) {
        requireDamage(e);
        damaged.put(segment.number(), NEVER_SEEN);
      }
    }
    var evacuation = new Evacuation(engine, this, segment);
    if (!evacuation.run(isStopping, pause)) {
      return Outcome.STOPPED;
    }
    return evacuation.unreadable() == 0 ? emptied(segment) : hold(segment, evacuation);
  }

  private Outcome emptied(SegmentInfo segment) {
    emptiedAt.put(segment.number(), log.lastLsn());
    return Outcome.EMPTIED;
  }

  private Outcome hold(SegmentInfo segment, Evacuation evacuation) {
    // All that could be read is elsewhere, so the next start must know the rest for garbage.
    engine.garbage().forget(segment.number());
    engine.garbage().addBytes(segment.number(), segment.bytes());
    damaged.put(segment.number(), deadBytes(segment));
    if (told.add(segment.number())) {
      LOGGER.warn(
          "segment {} of the log is not compacted: {} documents in it cannot be read. {}{}",
          segment.number(),
          evacuation.unreadable(),
          evacuation.firstFault(),
          Advice.GIVE_UP);
    }
    return Outcome.HELD;
  }

  /** The segment was deleted. */
  void forget(long segment) {
    emptiedAt.remove(segment);
    damaged.remove(segment);
  }

  private boolean moveAll(SegmentInfo segment, BooleanSupplier isStopping, Runnable pause) {
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
    return true;
  }

  /** The log must be saved up to here before the segment may go. */
  long emptiedAt(SegmentInfo segment) {
    return emptiedAt.getOrDefault(segment.number(), Long.MAX_VALUE);
  }

  /** The document of a record if it is still there, else null. */
  private Live findLive(LogGroup group, int index) {
    byte kind = group.kind(index);
    if (!DataRecord.isOfDocument(kind) || kind == DataRecord.DELETE) {
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
      return isLive ? new Live(partition, record, group.versionLsn(index), position, body) : null;
    } finally {
      partition.leave();
    }
  }

  private Live retryAfterSplit(LogGroup group, int index, ChronicleCollection collection) {
    return collection.exists() ? findLive(group, index) : null;
  }

  void move(List<Live> batch) {
    var byPartition = new IdentityHashMap<PhysicalPartition, List<Live>>();
    for (Live live : batch) {
      byPartition.computeIfAbsent(live.partition(), absent -> new ArrayList<>()).add(live);
    }
    byPartition.forEach(this::moveWithin);
  }

  /** Split or merged while we gathered: the children have the old places. Come back later. */
  static StorageException replaced(PhysicalPartition partition) {
    return new StorageException(
        StorageException.Reason.UNAVAILABLE, partition + " was split during compaction");
  }

  private void moveWithin(PhysicalPartition partition, List<Live> batch) {
    partition.lock.lock();
    try {
      if (partition.isRetired()) {
        throw replaced(partition);
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
          group.addCopy(DataRecord.MOVE, record.meta(), live.body(), live.versionLsn());
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
