package dev.orrery.storage.upkeep;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.index.SlotFile;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.log.LogRecord;
import dev.orrery.storage.log.SegmentInfo;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.physical.PhysicalPartition;
import dev.orrery.storage.reshape.EngineParts;
import dev.orrery.storage.structure.DataRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Empties a segment that can no longer be read from end to end. The slots say what of it is alive;
 * each of those documents is read by itself and moved, and what cannot be read stays.
 */
final class Evacuation {
  /*
   * Nothing is ever added to a sealed segment, and whoever takes over from a partition copies its
   * slots: when all slots have been looked at, no other can name the segment later. A partition that
   * hands over meanwhile is a reason to begin anew.
   */

  private static final int PAGE_IDS = 256;
  private static final int BATCH_BYTES = 1 << 20;

  private final EngineParts engine;
  private final Compaction compaction;
  private final SegmentInfo segment;
  private final long[] ids = new long[PAGE_IDS];
  private final long[] positions = new long[PAGE_IDS];
  private final List<Compaction.Live> batch = new ArrayList<>();
  private int batchBytes;
  private long unreadable;
  private String firstFault;

  Evacuation(EngineParts engine, Compaction compaction, SegmentInfo segment) {
    this.engine = engine;
    this.compaction = compaction;
    this.segment = segment;
  }

  /** How many documents had to stay. */
  long unreadable() {
    return unreadable;
  }

  /** What is wrong with the first of them, with file and offset. */
  String firstFault() {
    return firstFault;
  }

  /**
   * @param pause called after every slice of the work; may wait
   * @return false when it was asked to stop before the end
   */
  boolean run(BooleanSupplier isStopping, Runnable pause) {
    for (ChronicleCollection collection : engine.all().all()) {
      for (PhysicalPartition partition : collection.physicalPartitions()) {
        if (!empty(partition, isStopping, pause)) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean empty(PhysicalPartition partition, BooleanSupplier isStopping, Runnable pause) {
    if (!partition.tryEnter()) {
      if (partition.isRetired() || !partition.isDropped()) {
        throw Compaction.replaced(partition);
      }
      return true;
    }
    try {
      SlotFile slots = partition.files().slots();
      int found;
      for (long from = 1; (found = slots.scanUp(from, ids, positions)) > 0; ) {
        for (int i = 0; i < found; i++) {
          if (Log.segmentOf(positions[i]) == segment.number()) {
            take(partition, ids[i], positions[i]);
          }
        }
        moveBatch();
        from = ids[found - 1] + 1;
        if (isStopping.getAsBoolean()) {
          return false;
        }
        pause.run();
      }
    } catch (StorageException e) {
      note(e); // who cannot be asked may have documents there
    } finally {
      partition.leave();
    }
    return true;
  }

  private void take(PhysicalPartition partition, long recordId, long position) {
    LogRecord found;
    try {
      found = engine.log().read(position);
    } catch (StorageException e) {
      note(e);
      return;
    }
    var record = new DataRecord(partition.collectionId(), recordId, position);
    batch.add(
        new Compaction.Live(partition, record, found.versionLsn(), position, found.payload()));
    batchBytes += found.payload().length;
    if (batchBytes >= BATCH_BYTES) {
      moveBatch();
    }
  }

  private void moveBatch() {
    compaction.move(batch);
    batch.clear();
    batchBytes = 0;
  }

  private void note(StorageException failure) {
    if (failure.reason() != StorageException.Reason.CORRUPT) {
      throw failure;
    }
    unreadable++;
    firstFault = firstFault == null ? failure.getMessage() : firstFault;
  }
}
