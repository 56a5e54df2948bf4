package dev.orrery.storage.physical;

import dev.orrery.lane.Lane;
import dev.orrery.storage.Advice;
import dev.orrery.storage.IndexCursor;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.keyindex.KeyIndex;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.partition.EpkRange;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.storage.structure.Guard;
import dev.orrery.storage.structure.OrderedIndex;
import dev.orrery.storage.structure.PartitionFiles;
import dev.orrery.value.BsonEncoder;
import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A physical partition of the embedded engine: Chronicle Maps, a slot file and ordered indexes over
 * records in the log. Reads take no lock of the partition; writers hold {@link #lock}.
 */
public final class PhysicalPartition implements LocalPartition {
  /*
   * A read goes key -> record id -> position -> bytes. A write makes the new version reachable from
   * below: slot first, then the key maps; a delete takes it away from above. So whoever finds a
   * record id finds its document, or learns that it is gone.
   *
   * Two things may happen to the position between reading the slot and reading the log: the document
   * is replaced (the old bytes are still there, a read may return either version), or compaction
   * moved it and deleted the segment (the slot then already names the new place: try again).
   *
   * A commit of several changes is seen as a whole: while its Flight has not landed, whoever meets one
   * of its versions waits. A deletion is met too, by a slot that names its record, as -position; what
   * led there goes when the flight has landed.
   */

  public final ReentrantLock lock = new ReentrantLock();

  private static final OrderedIndex[] NO_INDEXES = {};

  /** What is done with a larger document, or with its index entries, takes its time. */
  private static final int LOOP_DOCUMENT_BYTES_MAX = 64 << 10;

  private static final int TURN_STEPS = 50;
  private static final long TURN_STEP_NANOS = 200_000;

  private final int collectionId;
  private final PartitionMap.Entry entry;
  private final PartitionFiles.Opener opener;
  private final Log log;
  private final Trail trail;
  private final Guard guard;
  private volatile PartitionFiles files;
  private final Succession succession = new Succession(this);
  private SplitMirror mirror;
  private CommitFollower follower;
  private volatile boolean isDropped;
  private volatile boolean isChanged;
  private volatile Throwable failure;

  PhysicalPartition(
      int collectionId,
      PartitionMap.Entry entry,
      PartitionFiles.Opener opener,
      Log log,
      ReadPoints points) {
    this.collectionId = collectionId;
    this.entry = entry;
    this.opener = opener;
    this.log = log;
    this.trail = new Trail(points, lock);
    this.guard = new Guard();
  }

  public int collectionId() {
    return collectionId;
  }

  Log log() {
    return log;
  }

  @Override
  public int id() {
    return entry.id();
  }

  @Override
  public EpkRange range() {
    return entry.range();
  }

  /**
   * The structures on disk, opened when they are first needed: most of many collections are idle.
   */
  public PartitionFiles files() {
    PartitionFiles opened = files;
    return opened != null ? opened : open();
  }

  private PartitionFiles open() {
    Lane.requireMayWait(); // it may even be rebuilt
    lock.lock();
    try {
      if (files == null) {
        if (isDropped) {
          throw gone();
        }
        files = opener.open();
        isChanged |= !files.unowned().isEmpty(); // so that the next checkpoint saves all anew
      }
      return files;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public PartitionFiles filesIfOpen() {
    return files;
  }

  /** Compares the structures, if any was opened, and makes those anew that disagree. */
  void compare(Checkpointer checkpointer) {
    Map<String, String> faults = files == null ? Map.of() : opener.compare(files);
    if (!faults.isEmpty()) {
      checkpointer.save(this);
      files = opener.renew(files, faults);
    }
  }

  /** How new the structures on disk are. */
  Map<String, Long> stamps() {
    PartitionFiles opened = files;
    return opened == null ? opener.savedStamps() : opened.stamps();
  }

  public boolean isDropped() {
    return isDropped;
  }

  /** Whether there are no documents. */
  public boolean isEmpty() {
    return statistics().documents() == 0;
  }

  /** Ends the partition, and its files as soon as nobody reads them. The lock must be held. */
  public void drop() {
    if (!isDropped) {
      isDropped = true;
      PartitionFiles opened = files;
      guard.end(opened == null ? opener::delete : opened::delete);
    }
  }

  /** Ends the partition without deleting anything: the server stops. */
  void close() {
    PartitionFiles opened = files;
    if (!isDropped && opened != null) {
      guard.end(opened::close);
    }
  }

  /** Who took over after a split or a merge; null while this one serves. */
  List<Successor> successors() {
    return succession.all();
  }

  public boolean isRetired() {
    return succession.all() != null;
  }

  /** Hands over after a split or a merge. The lock must be held; {@link #drop} follows. */
  public void retire(List<Successor> to) {
    succession.begin(to);
    mirror = null;
  }

  /** Begins (or with null: ends) to repeat every change elsewhere. The lock must be held. */
  public void mirrorTo(SplitMirror target) {
    mirror = target;
  }

  /** Null unless a split or a merge is under way. The lock must be held. */
  public SplitMirror mirror() {
    return mirror;
  }

  /**
   * For those who take the lock again and again: lets others have it in between, who would starve
   * if it were taken again at once. Not for ever, as there may always be somebody.
   */
  public void letOthersIn() {
    for (int i = 0; i < TURN_STEPS && lock.hasQueuedThreads(); i++) {
      LockSupport.parkNanos(TURN_STEP_NANOS);
    }
  }

  /** Tells somebody (or with null: nobody) of every commit. The lock must be held. */
  public void follow(CommitFollower newFollower) {
    follower = newFollower;
  }

  /** Null unless somebody wants to hear of commits. The lock must be held. */
  public CommitFollower follower() {
    return follower;
  }

  /** The present indexes; none when the partition is gone, which the commit then finds out. */
  OrderedIndex[] indexesIfPresent() {
    if (isDropped) {
      return NO_INDEXES;
    }
    try {
      return files().indexes();
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.COLLECTION_DROPPED) {
        throw e;
      }
      return NO_INDEXES; // dropped before it was ever opened
    }
  }

  public void markChanged() {
    isChanged = true;
  }

  /** What readers have to know of commits. */
  public Trail trail() {
    return trail;
  }

  /** Whether anything changed since the last checkpoint; commits under way are waited for. */
  public boolean takeChanged() {
    lock.lock();
    try {
      boolean was = isChanged;
      isChanged = false;
      return was;
    } finally {
      lock.unlock();
    }
  }

  /** Takes no more writes: an index is no longer what the log says. */
  public void fail(Throwable cause) {
    failure = cause;
  }

  boolean hasFailed() {
    return failure != null;
  }

  public void requireHealthy() {
    if (failure != null) {
      throw new StorageException(
          StorageException.Reason.UNAVAILABLE,
          "an index of " + this + " failed; restart the server to rebuild it",
          failure);
    }
  }

  /**
   * Lets the caller read the files until it calls {@link #leave}; false when the partition is gone.
   */
  public boolean tryEnter() {
    return guard.tryEnter();
  }

  public void leave() {
    guard.leave();
  }

  @Override
  public @Nullable StoredDocument findNow(byte[] primaryKey, WorkMeter meter) {
    if (isRetired() || !tryEnter()) {
      return succession.find(primaryKey, meter);
    }
    try {
      PartitionFiles opened = files();
      long recordId = opened.ids().find(primaryKey);
      while (recordId != KeyIndex.ABSENT) {
        StoredDocument found = read(opened, recordId, meter);
        if (found != null) {
          return found;
        }
        recordId = next(opened, primaryKey, recordId);
      }
      return null;
    } finally {
      leave();
    }
  }

  @Override
  public boolean copyNow(byte[] primaryKey, BsonEncoder out, WorkMeter meter) {
    if (isRetired() || !tryEnter()) {
      return succession.copy(primaryKey, out, meter);
    }
    try {
      PartitionFiles opened = files();
      long recordId = opened.ids().find(primaryKey);
      while (recordId != KeyIndex.ABSENT && !copy(opened, recordId, out, meter)) {
        recordId = next(opened, primaryKey, recordId);
      }
      return recordId != KeyIndex.ABSENT;
    } finally {
      leave();
    }
  }

  /** The record that a commit gave the key when it deleted the one before; ABSENT without one. */
  private static long next(PartitionFiles opened, byte[] primaryKey, long before) {
    long now = opened.ids().find(primaryKey);
    return now == before ? KeyIndex.ABSENT : now;
  }

  private boolean copy(PartitionFiles opened, long recordId, BsonEncoder out, WorkMeter meter) {
    for (; ; ) {
      long position = trail.position(opened.slots(), recordId, log);
      if (position == 0) {
        return false;
      }
      try {
        int before = out.length();
        log.passPayload(position, out::writeDocument);
        meter.loadDocument(out.length() - before);
        return true;
      } catch (StorageException e) {
        if (isReplaced(e)) {
          StoredDocument there = succession.read(recordId, meter);
          if (there != null) {
            out.writeDocument(there.document());
          }
          return there != null;
        }
        requireMoved(opened, recordId, position, e);
      }
    }
  }

  /**
   * Whether a document is missing from the log because nobody keeps this partition's slots up to
   * date any more: it was split, merged or dropped after the reader came in.
   */
  private boolean isReplaced(StorageException failure) {
    return failure.reason() == StorageException.Reason.LOG_TRIMMED && (isRetired() || isDropped);
  }

  /** Lets only pass that compaction took the document elsewhere while it was to be read. */
  private void requireMoved(
      PartitionFiles opened, long recordId, long position, StorageException failure) {
    boolean isBad = failure.reason() == StorageException.Reason.CORRUPT;
    if (!isBad && failure.reason() != StorageException.Reason.LOG_TRIMMED) {
      throw failure;
    }
    if (isBad || opened.slots().get(recordId) == position) {
      throw new StorageException(
          StorageException.Reason.CORRUPT,
          "record " + recordId + " of " + this + ": " + failure.getMessage() + Advice.GIVE_UP,
          failure);
    }
  }

  @Override
  public @Nullable StoredDocument readNow(long recordId, WorkMeter meter) {
    if (isRetired() || !tryEnter()) {
      return succession.read(recordId, meter);
    }
    try {
      return read(files(), recordId, meter);
    } finally {
      leave();
    }
  }

  private StoredDocument read(PartitionFiles opened, long recordId, WorkMeter meter) {
    for (; ; ) {
      long position = trail.position(opened.slots(), recordId, log);
      if (position == 0) {
        return null;
      }
      byte[] bytes;
      try {
        bytes = log.readPayload(position, meter.beforeLarge());
      } catch (StorageException e) {
        if (isReplaced(e)) {
          return succession.read(recordId, meter);
        }
        requireMoved(opened, recordId, position, e);
        continue;
      }
      if (bytes.length > LOOP_DOCUMENT_BYTES_MAX) {
        Lane.requireMayWait();
      }
      meter.loadDocument(bytes.length);
      return new StoredDocument(this, recordId, position, RawDocument.wrap(bytes));
    }
  }

  @Override
  public RecordCursor scan(boolean reverse) {
    return reverse ? PartitionScan.backward(this) : PartitionScan.forward(this);
  }

  @Override
  public IndexCursor scan(IndexSpec index, IndexRange range) {
    return new PartitionIndexCursor(this, index, range);
  }

  @Override
  public OptionalLong estimate(IndexSpec index, IndexRange range) {
    return OptionalLong.of(
        inside(opened -> opened.inside(index, one -> one.estimate(range)), Long::sum));
  }

  @Override
  public PartitionStatistics statistics() {
    return statistics(range());
  }

  /** Counts what lies in a range; all of it, or what a partition had that was merged into this. */
  private PartitionStatistics statistics(EpkRange within) {
    if (!isRetired() && tryEnter()) {
      try {
        boolean isAll = within.contains(range());
        return isAll ? files().statistics() : files().statistics(within);
      } finally {
        leave();
      }
    }
    return succession.require().stream()
        .map(successor -> successor.partition().statistics(within))
        .reduce(PartitionStatistics.NONE, PartitionStatistics::plus);
  }

  @Override
  public LargestKey largestKey() {
    return inside(PartitionFiles::largestKey, LargestKey::larger);
  }

  PartitionStatistics statistics(byte[] logicalKey) {
    return inside(opened -> opened.statistics(logicalKey), PartitionStatistics::plus);
  }

  @Override
  public IndexStatistics statistics(IndexSpec index) {
    return inside(
        opened ->
            opened.inside(
                index, one -> new IndexStatistics(one.entries(), one.bytes(), one.fieldsSeen())),
        IndexStatistics::plus);
  }

  /** Reads here, or where the documents are now. */
  private <T> T inside(Function<PartitionFiles, T> reading, BinaryOperator<T> plus) {
    if (!isRetired() && tryEnter()) {
      try {
        return reading.apply(files());
      } finally {
        leave();
      }
    }
    return succession.require().stream()
        .map(successor -> successor.partition().inside(reading, plus))
        .reduce(plus)
        .orElseThrow();
  }

  /** Why nothing can be read here. */
  public StorageException gone() {
    return isDropped
        ? new StorageException(StorageException.Reason.COLLECTION_DROPPED, this + " was dropped")
        : new StorageException(StorageException.Reason.UNAVAILABLE, this + " is closed");
  }

  @Override
  public String toString() {
    return "partition " + entry.id() + " of collection " + collectionId;
  }
}
