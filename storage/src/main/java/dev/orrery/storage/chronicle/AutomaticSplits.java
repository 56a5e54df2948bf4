package dev.orrery.storage.chronicle;

import dev.orrery.storage.StorageException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Splits partitions that grew beyond their limit, on a thread of its own. A partition that holds
 * one key only stays as it is: no split would make it smaller.
 */
final class AutomaticSplits {
  private static final Logger LOGGER = LoggerFactory.getLogger(AutomaticSplits.class);
  private static final long PULSE_MILLIS = 100;

  private final ChronicleEngine engine;
  private final long partitionBytesMax;
  private final ReentrantLock pulse = new ReentrantLock();
  private final Condition stopping = pulse.newCondition();
  private final Thread thread;
  private boolean isStopping;

  AutomaticSplits(ChronicleEngine engine, long partitionBytesMax) {
    this.engine = engine;
    this.partitionBytesMax = partitionBytesMax;
    this.thread = new Thread(this::run, "orrery-splits");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void run() {
    while (awaitPulse()) {
      try {
        splitFullPartitions();
      } catch (StorageException e) {
        // The parent serves on, and we try again: a full disk or a dropped collection, most likely.
        LOGGER.warn("a partition could not be split: {}", e.getMessage());
      }
    }
  }

  private boolean awaitPulse() {
    pulse.lock();
    try {
      return !isStopping && !(stopping.await(PULSE_MILLIS, TimeUnit.MILLISECONDS) && isStopping);
    } catch (InterruptedException e) {
      return false;
    } finally {
      pulse.unlock();
    }
  }

  private void splitFullPartitions() {
    for (ChronicleCollection collection : engine.all().all()) {
      if (!collection.keys().isPartitioned()) {
        continue;
      }
      for (PhysicalPartition partition : collection.physicalPartitions()) {
        String boundary = boundaryIfFull(partition);
        if (boundary != null) {
          engine.split(collection, partition.id(), boundary);
          LOGGER.info("split {} at {}", partition, boundary);
        }
      }
    }
  }

  /** Where to split; null when the partition is small enough, or cannot be made smaller. */
  private String boundaryIfFull(PhysicalPartition partition) {
    // One that was not opened since the start cannot have grown.
    if (partition.filesIfOpen() == null || !partition.tryEnter()) {
      return null;
    }
    try {
      PartitionFiles files = partition.files();
      return files.slots().payloadBytes() > partitionBytesMax ? SplitPoint.of(files) : null;
    } finally {
      partition.leave();
    }
  }

  /** Waits for a split that is under way. */
  void close() {
    pulse.lock();
    try {
      isStopping = true;
      stopping.signalAll();
    } finally {
      pulse.unlock();
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
