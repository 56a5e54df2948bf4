package dev.orrery.storage.physical;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.index.SlotFile;
import dev.orrery.storage.log.Log;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What readers of a partition have to know of commits: which one is on its way, which was the last,
 * and what they took away that somebody still sees. Writers hold the partition's lock.
 */
public final class Trail {
  private final ReadPoints points;
  private final ReentrantLock lock;
  private volatile Flight flight;
  private volatile History history;
  private volatile long lastLsn;

  Trail(ReadPoints points, ReentrantLock lock) {
    this.points = points;
    this.lock = lock;
  }

  /**
   * Says that a commit is about to change something.
   *
   * @param commit shows its changes in one step; null if there is only one
   */
  public void begin(long lsn, Flight commit) {
    lastLsn = lsn;
    if (commit != null) {
      flight = commit;
    }
  }

  /** The sequence number of the last commit here since the start; 0 without any. */
  long lastLsn() {
    return lastLsn;
  }

  /** Where a commit writes down what it takes away; null if nobody wants to know. */
  public History historyFor(long lsn) {
    if (points.oldest() >= lsn) {
      return null;
    }
    History kept = history;
    if (kept == null) {
      kept = new History(points);
      history = kept;
    }
    points.remember(this);
    return kept;
  }

  /** Null when nothing is kept of the past. */
  History history() {
    return history;
  }

  /** Forgets what no point needs; true if nothing is left. */
  boolean forget() {
    lock.lock();
    try {
      // Asked under the lock: what a commit keeps for a point, it keeps after that was opened.
      if (history != null && history.forget(points.oldest())) {
        history = null;
      }
      return history == null;
    } finally {
      lock.unlock();
    }
  }

  /** Where the document of a record is that is to be seen; 0 when there is none. */
  long position(SlotFile slots, long recordId, Log log) {
    for (; ; ) {
      long position = slots.get(recordId);
      Flight commit = flight; // to be read after the slot, which is changed later
      if (position == 0 || commit == null || commit.isLanded() || !isPart(commit, position, log)) {
        return Math.max(0, position);
      }
      commit.await();
    }
  }

  private static boolean isPart(Flight commit, long position, Log log) {
    if (position < 0) {
      return true;
    }
    try {
      return commit.hides(log.versionLsn(position));
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.LOG_TRIMMED) {
        throw e;
      }
      return false; // compaction moved it, so it is older; whoever reads it will see
    }
  }
}
