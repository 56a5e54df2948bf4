package dev.orrery.storage.upkeep;

import dev.orrery.lane.Pulse;
import dev.orrery.lane.Rounds;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.physical.PhysicalPartition;
import dev.orrery.storage.reshape.EngineParts;
import dev.orrery.storage.reshape.PartitionSplit;
import dev.orrery.storage.structure.SplitPoint;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Splits partitions that grew beyond their limit, on a thread of its own and at a {@link Pace} that
 * clients do not notice, unless somebody waits for the end. A partition that holds one key only
 * stays as it is: no split would make it smaller.
 */
public final class AutomaticSplits {
  private static final Logger LOGGER = LoggerFactory.getLogger(AutomaticSplits.class);
  private static final long PULSE_MILLIS = 100;

  /** Of one processor. With 3 % a split was over in 4 s instead of 12, and reads lost 7 %. */
  private static final double SHARE = 0.01;

  /** A partition that grew to so many times its limit without a split makes another one hurry. */
  private static final double OVERDUE = 1.25;

  /** All partitions are looked at once for so many questions, or about once a second. */
  private static final int OVERDUE_QUESTIONS = 32;

  /** For so long a partition is left alone that has a document which cannot be read. */
  private static final long PUT_OFF_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final EngineParts engine;
  private final long partitionBytesMax;
  private final Pulse pulse;
  private final Supplier<Pace.Surroundings> surroundings;
  private long questions;
  private boolean isOverdue;
  private boolean wasFailing;
  private String lastWarning;

  /** Until when partitions are left alone. */
  private final Map<PhysicalPartition, Long> putOff = new WeakHashMap<>();

  /**
   * @param surroundings asked for when there is something to split
   */
  public AutomaticSplits(
      EngineParts engine, long partitionBytesMax, Supplier<Pace.Surroundings> surroundings) {
    this.engine = engine;
    this.partitionBytesMax = partitionBytesMax;
    this.surroundings = surroundings;
    this.pulse = new Pulse("orrery-splits", PULSE_MILLIS, new Splits());
  }

  public void start() {
    pulse.start();
  }

  private final class Splits implements Rounds.Work {
    @Override
    public boolean await() throws InterruptedException {
      return pulse.await();
    }

    @Override
    public void run() {
      splitFullPartitions();
      wasFailing = false;
      lastWarning = null;
    }

    @Override
    public boolean mayGoOn(Throwable failure) {
      if (!Rounds.isPassing(failure)) {
        LOGGER.error("splits have ended: the engine takes no more writes", failure);
        engine.log().fail(failure);
        return false;
      }
      // The parent serves on, and we try again: a full disk or a dropped collection, most likely.
      boolean isKnown = failure instanceof StorageException;
      if (!pulse.isStopping() && isKnown) {
        if (!failure.getMessage().equals(lastWarning)) { // not ten times a second
          LOGGER.warn("a partition could not be split: {}", failure.getMessage());
        }
        lastWarning = failure.getMessage();
      } else if (!pulse.isStopping() && !wasFailing) {
        LOGGER.error("a partition could not be split, and will be tried again", failure);
      }
      wasFailing = !isKnown;
      return true;
    }
  }

  private void splitFullPartitions() {
    for (ChronicleCollection collection : engine.all().all()) {
      if (!collection.keys().isPartitioned()) {
        continue;
      }
      for (PhysicalPartition partition : collection.physicalPartitions()) {
        String boundary = isPutOff(partition) ? null : boundaryIfFull(partition);
        if (boundary != null) {
          split(collection, partition, boundary);
          LOGGER.info("split {} at {}", partition, boundary);
        }
      }
    }
  }

  private boolean isPutOff(PhysicalPartition partition) {
    Long until = putOff.get(partition);
    return until != null && System.nanoTime() - until < 0;
  }

  private void split(ChronicleCollection collection, PhysicalPartition partition, String boundary) {
    try {
      split(collection, partition, boundary, new Pace(surroundings.get(), SHARE));
    } catch (StorageException e) {
      if (e.reason() == StorageException.Reason.CORRUPT) {
        putOff.put(partition, System.nanoTime() + PUT_OFF_NANOS); // others have their turn
      }
      throw e;
    }
  }

  private void split(
      ChronicleCollection collection, PhysicalPartition partition, String boundary, Pace pace) {
    var schedule = new SplitSchedule(partitionBytesMax, sizeIfOpen(partition).bytes());
    var split = new PartitionSplit(engine, collection);
    split.run(
        partition.id(),
        boundary,
        done -> {
          pace.pause(
              () ->
                  pulse.isStopping()
                      || !collection.exists()
                      || collection.structureLock().hasQueuedThreads()
                      || schedule.isBehind(done, sizeIfOpen(partition).bytes())
                      || isAnotherOverdue(partition));
          if (pulse.isStopping()) {
            throw new StorageException(
                StorageException.Reason.UNAVAILABLE, "the server stops while it splits");
          }
        });
    engine.checkpoint(); // from now on it is known how new the children's files are
  }

  /** Whether one that has not had its turn is so large already that it cannot wait. */
  private boolean isAnotherOverdue(PhysicalPartition present) {
    if (questions++ % OVERDUE_QUESTIONS == 0) {
      isOverdue =
          engine.all().all().stream()
              .filter(collection -> collection.keys().isPartitioned())
              .flatMap(collection -> collection.physicalPartitions().stream())
              .anyMatch(one -> one != present && isOverdue(one));
    }
    return isOverdue;
  }

  private boolean isOverdue(PhysicalPartition partition) {
    PartitionStatistics size = sizeIfOpen(partition);
    // With one key there will be no split, so that nobody waits for it.
    return size.bytes() > OVERDUE * partitionBytesMax && size.keys() > 1;
  }

  /** One that was not opened since the start cannot have grown. */
  private static PartitionStatistics sizeIfOpen(PhysicalPartition partition) {
    if (partition.filesIfOpen() == null || !partition.tryEnter()) {
      return PartitionStatistics.NONE;
    }
    try {
      return partition.files().statistics();
    } finally {
      partition.leave();
    }
  }

  /** Where to split; null when the partition is small enough, or cannot be made smaller. */
  private String boundaryIfFull(PhysicalPartition partition) {
    if (sizeIfOpen(partition).bytes() <= partitionBytesMax || !partition.tryEnter()) {
      return null;
    }
    try {
      return SplitPoint.of(partition.files(), partition.range());
    } finally {
      partition.leave();
    }
  }

  /** Gives up a split that is under way. */
  public void close() {
    pulse.stop();
  }
}
