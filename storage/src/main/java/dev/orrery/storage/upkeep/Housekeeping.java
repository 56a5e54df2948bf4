package dev.orrery.storage.upkeep;

import dev.orrery.lane.Pulse;
import dev.orrery.lane.Rounds;
import dev.orrery.storage.log.SegmentInfo;
import dev.orrery.storage.physical.Checkpointer;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.physical.PhysicalPartition;
import dev.orrery.storage.reshape.EngineParts;
import dev.orrery.storage.structure.PartitionFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine's background work, on one thread: checkpoints when enough was written or enough time
 * passed, compaction of mostly dead segments, and the end of segments that nothing needs any more.
 */
public final class Housekeeping {
  private static final Logger LOGGER = LoggerFactory.getLogger(Housekeeping.class);
  private static final long PULSE_MILLIS = 200;

  /** Of one processor, for compaction. */
  private static final double SHARE = 0.03;

  private final EngineParts engine;
  private final CheckpointFile file;
  private final UpkeepOptions options;
  private final Checkpointer checkpointer;
  private final Compaction compaction;
  private final ReentrantLock working = new ReentrantLock();
  private final Pulse pulse;
  private final TreeSet<Long> emptied = new TreeSet<>();
  private final Supplier<Pace.Surroundings> surroundings;
  private Pace pace;
  private long savedLsn;
  private long savedBytes;
  private long savedNanos = System.nanoTime();
  private boolean wasFailing;

  /**
   * @param surroundings asked for when there is something to compact
   */
  public Housekeeping(
      EngineParts engine,
      CheckpointFile file,
      UpkeepOptions options,
      Supplier<Pace.Surroundings> surroundings) {
    this.engine = engine;
    this.surroundings = surroundings;
    this.file = file;
    this.options = options;
    this.checkpointer = new Checkpointer(engine.log());
    this.compaction = new Compaction(engine, options.feed());
    this.pulse = new Pulse("orrery-housekeeping", PULSE_MILLIS, new Upkeep());
  }

  public void start() {
    pulse.start();
  }

  private final class Upkeep implements Rounds.Work {
    @Override
    public boolean await() throws InterruptedException {
      return pulse.await();
    }

    @Override
    public void run() {
      engine.points().purge();
      if (isCheckpointDue()) {
        checkpoint();
      }
      pace = null;
      if (engine.diskSpace().isLow()) {
        relieve();
      } else {
        compact(Housekeeping.this::pause);
      }
      wasFailing = false;
    }

    @Override
    public boolean mayGoOn(Throwable failure) {
      if (!Rounds.isPassing(failure)) {
        // Without checkpoints the log would grow for ever.
        LOGGER.error("housekeeping ended: the engine takes no more writes", failure);
        engine.log().fail(failure);
        return false;
      }
      // A full disk, most likely. Nothing is lost: the log has it all, and we try again.
      if (!wasFailing) {
        wasFailing = true;
        LOGGER.warn("background work failed and will be tried again: {}", failure, failure);
      }
      return true;
    }
  }

  private boolean isCheckpointDue() {
    if (engine.log().lastLsn() == savedLsn) {
      return false;
    }
    long ageMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - savedNanos);
    return ageMillis >= options.checkpointMillis()
        || engine.pages().isFilling()
        || logBytes() - savedBytes >= options.checkpointBytes();
  }

  private long logBytes() {
    long first = 0;
    long bytes = 0;
    for (SegmentInfo segment : engine.log().segments()) {
      first = first == 0 ? segment.number() : first;
      bytes += segment.bytes();
    }
    // Segments that were deleted meanwhile must not make the log look shorter.
    return bytes + first * options.segmentBytes();
  }

  /** Saves every partition that changed, then the catalog: recovery starts here from now on. */
  public void checkpoint() {
    working.lock();
    try {
      long start = System.nanoTime();
      long lsn = engine.log().lastLsn();
      long bytes = logBytes();
      for (ChronicleCollection collection : engine.all().all()) {
        for (PhysicalPartition partition : collection.physicalPartitions()) {
          save(partition);
        }
      }
      writeFile(lsn);
      savedLsn = lsn;
      savedBytes = bytes;
      savedNanos = System.nanoTime();
      engine.observer().checkpointed(savedNanos - start);
      engine.pages().saved();
      deleteEmptied(lsn);
    } finally {
      working.unlock();
    }
  }

  public <T> T exclusively(Supplier<T> action) {
    working.lock();
    try {
      return action.get();
    } finally {
      working.unlock();
    }
  }

  private void save(PhysicalPartition partition) {
    if (!partition.takeChanged()) {
      releaseIdle(partition);
      return;
    }
    try {
      checkpointer.save(partition);
    } catch (RuntimeException | Error e) {
      partition.markChanged();
      throw e;
    }
  }

  /** An idle partition gives its maps' file handles back; they come again by themselves. */
  private static void releaseIdle(PhysicalPartition partition) {
    if (partition.filesIfOpen() != null && partition.tryEnter()) {
      try {
        PartitionFiles files = partition.files();
        files.ids().releaseIdle();
        if (files.sizes() != null) {
          files.sizes().releaseIdle();
        }
      } finally {
        partition.leave();
      }
    }
  }

  private void writeFile(long replayFrom) {
    engine.log().awaitDurable(replayFrom);
    engine.catalog().lock().lock();
    try {
      engine.catalog().past().forgetBefore(engine.log().unbroken().lsn() + 1);
      file.write(
          new CheckpointFile.Content(
              engine.all().opener().store(),
              replayFrom,
              engine.catalog().toBson(),
              engine.garbage().snapshot(),
              engine.all().stamps()));
    } finally {
      engine.catalog().lock().unlock();
    }
  }

  /**
   * Compacts what is worth it, at once, and the segment that is written to as well: on a full disk
   * there may be no other, and those who delete wait for the room.
   */
  private void relieve() {
    compaction.hurry(true);
    try {
      if (compaction.isActiveWorthwhile()) {
        engine.log().seal();
      }
      compact(() -> {});
    } finally {
      compaction.hurry(false);
    }
  }

  /** Lets clients go first, unless somebody waits, a checkpoint is due or the log is a waste. */
  private void pause() {
    if (pace == null) {
      pace = new Pace(surroundings.get(), SHARE);
    }
    pace.pause(
        () ->
            pulse.isStopping()
                || working.hasQueuedThreads()
                || isCheckpointDue()
                || compaction.isOverdue());
  }

  /** Moves live documents out of mostly dead segments; the number of segments emptied. */
  public int compact() {
    return compact(() -> {});
  }

  private int compact(Runnable pause) {
    working.lock();
    try {
      if (engine.all().haveFailed()) {
        return 0; // there can be no checkpoint, without which nothing may be deleted
      }
      List<SegmentInfo> candidates = new ArrayList<>(compaction.candidates(pause));
      candidates.removeIf(segment -> emptied.contains(segment.number()));
      int freed = 0;
      for (SegmentInfo segment : candidates) {
        Compaction.Outcome outcome =
            pulse.isStopping()
                ? Compaction.Outcome.STOPPED
                : compaction.run(segment, pulse::isStopping, pause);
        if (outcome == Compaction.Outcome.STOPPED) {
          return 0;
        }
        if (outcome == Compaction.Outcome.EMPTIED) {
          emptied.add(segment.number());
          freed++;
        }
        if (isCheckpointDue() || compaction.isHurried()) {
          checkpoint(); // it bounds a recovery, and frees what was emptied
        }
      }
      if (!emptied.isEmpty()) {
        checkpoint(); // what was moved must be on record before its old place goes
      }
      return freed;
    } finally {
      working.unlock();
    }
  }

  private void deleteEmptied(long checkpointLsn) {
    for (SegmentInfo segment : engine.log().segments()) {
      // Who reads at an older point may need what was dead by then.
      long needed = Math.min(checkpointLsn, engine.points().oldest());
      if (emptied.contains(segment.number()) && compaction.emptiedAt(segment) <= needed) {
        engine.log().deleteSegment(segment.number());
        engine.observer().segmentFreed(segment.bytes());
        engine.garbage().forget(segment.number());
        emptied.remove(segment.number());
        compaction.forget(segment.number());
      }
    }
  }

  /** The documents of a dropped collection are garbage now. */
  public void countDropped(ChronicleCollection collection) {
    compaction.noteDropped(collection.info().id());
  }

  /** A document in that segment was given up because it cannot be read. */
  public void suspect(long segment) {
    compaction.suspect(segment);
  }

  /** Stops the thread and saves everything. */
  public void close() {
    pulse.stop();
    if (!engine.all().haveFailed()) { // else the next start replays what an index has not taken
      checkpoint();
    }
  }
}
