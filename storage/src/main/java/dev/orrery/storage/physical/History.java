package dev.orrery.storage.physical;

import dev.orrery.storage.index.BTreeBound;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.LongStream;

/**
 * What commits took out of a partition's structures while somebody reads at a point before them. It
 * says where to look, not what was there: that is decided by the version of the document at the
 * reader's point. Writers hold the partition's lock; readers hold none, and look here after they
 * looked at the structures, as everything is put in here before it is taken out there.
 */
public final class History {
  /** About what an entry takes besides its key. */
  private static final int ENTRY_BYTES = 160;

  /** A deletion: its commit, and where its record is in the log. */
  private record Deleted(long lsn, long position) {}

  /** Undoes one entry when nobody needs it any more. */
  private record Entry(long lsn, int bytes, Runnable forget) {}

  private final ConcurrentSkipListMap<Long, Deleted> records = new ConcurrentSkipListMap<>();
  private final ConcurrentSkipListMap<BTreeBound, Long> ids = new ConcurrentSkipListMap<>();
  private final ConcurrentHashMap<Integer, ConcurrentSkipListMap<BTreeBound, Long>> entries =
      new ConcurrentHashMap<>();
  private final ArrayDeque<Entry> order = new ArrayDeque<>();
  private final ReadPoints points;

  History(ReadPoints points) {
    this.points = points;
  }

  /**
   * What a write is about to take away.
   *
   * @param position of the write in the log
   */
  public void add(long lsn, PendingWrite write, long position) {
    for (PendingWrite.KeyChange change : write.changes) {
      for (byte[] key : change.removed()) {
        addEntry(lsn, change.index().entry().id(), key, write.recordId);
      }
    }
    if (write.isDelete()) {
      addRecord(lsn, write.recordId, position, write.primaryKey);
    }
  }

  /** A record whose last version is that of a deletion. */
  private void addRecord(long lsn, long recordId, long position, byte[] primaryKey) {
    records.put(recordId, new Deleted(lsn, position));
    BTreeBound key = BTreeBound.at(primaryKey, recordId);
    ids.put(key, lsn);
    add(
        lsn,
        primaryKey.length,
        () -> {
          records.remove(recordId);
          ids.remove(key);
        });
  }

  /** An entry of an index. */
  private void addEntry(long lsn, int indexId, byte[] key, long recordId) {
    var removed = entries.computeIfAbsent(indexId, absent -> new ConcurrentSkipListMap<>());
    BTreeBound entry = BTreeBound.at(key, recordId);
    removed.put(entry, lsn);
    add(lsn, key.length, () -> removed.remove(entry, lsn)); // it may have come and gone again
  }

  private void add(long lsn, int keyBytes, Runnable forget) {
    int bytes = ENTRY_BYTES + keyBytes;
    order.add(new Entry(lsn, bytes, forget));
    points.hold(bytes);
  }

  /** Forgets what no point sees any more; true when nothing is left. The lock must be held. */
  boolean forget(long oldestPoint) {
    while (!order.isEmpty() && order.peek().lsn() <= oldestPoint) {
      Entry entry = order.remove();
      entry.forget().run();
      points.hold(-entry.bytes());
    }
    return order.isEmpty();
  }

  /*
   * What follows is asked for at a point, and says nothing of commits up to it: what those took away
   * may be here for others, or for nobody any more, and its versions may have left the log.
   */

  /** Where the deletion of a record is in the log; 0 if it was not deleted after the point. */
  long position(long recordId, long point) {
    Deleted deleted = records.get(recordId);
    return deleted == null || deleted.lsn() <= point ? 0 : deleted.position();
  }

  /** The records between two ids, both exclusive, that were deleted after the point. */
  LongStream records(long after, long before, long point) {
    return records.subMap(after, false, before, false).entrySet().stream()
        .filter(entry -> entry.getValue().lsn() > point)
        .mapToLong(Map.Entry::getKey);
  }

  /** The records with that primary key that were deleted after the point. */
  LongStream ids(byte[] primaryKey, long point) {
    return ids
        .subMap(BTreeBound.before(primaryKey), BTreeBound.after(primaryKey))
        .entrySet()
        .stream()
        .filter(entry -> entry.getValue() > point)
        .mapToLong(entry -> entry.getKey().recordId());
  }

  /**
   * The next entry that was taken out of an index after the point, in the order of a scan; null at
   * the end.
   */
  BTreeBound next(int indexId, BTreeBound after, boolean isReverse, long point) {
    var removed = entries.get(indexId);
    if (removed == null) {
      return null;
    }
    var entry = isReverse ? removed.lowerEntry(after) : removed.higherEntry(after);
    while (entry != null && entry.getValue() <= point) {
      entry = isReverse ? removed.lowerEntry(entry.getKey()) : removed.higherEntry(entry.getKey());
    }
    return entry == null ? null : entry.getKey();
  }
}
