package dev.orrery.storage.structure;

import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.PartitionStore.LargestKey;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.index.BTree;
import dev.orrery.storage.index.FileOwner;
import dev.orrery.storage.index.SlotFile;
import dev.orrery.storage.keyindex.KeyIndex;
import dev.orrery.storage.partition.EpkRange;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * The structures of one physical partition: record slots, the map of primary keys, the map of
 * logical partition sizes, and the indexes. Changed only by whoever holds the partition's lock.
 */
public final class PartitionFiles {
  /** Opens the structures as of their last checkpoint. */
  interface Source {
    /**
     * Opens them all; one that is damaged is empty.
     *
     * @param discarded the names of those that shall be empty whatever there is
     * @param damage gets the name of each that is damaged, and what is wrong with it
     */
    PartitionFiles open(Set<String> discarded, Map<String, String> damage);

    /** Deletes structures that were not opened. */
    public void delete();
  }

  /** Opens structures that can be trusted. */
  public interface Opener {
    /** Opens them all; those that cannot be trusted are made anew. */
    PartitionFiles open();

    /** Of structures that have all that the log has: those that disagree, and how. */
    Map<String, String> compare(PartitionFiles files);

    /** Closes them, makes some anew and opens all again. They must have been saved. */
    PartitionFiles renew(PartitionFiles files, Map<String, String> reasons);

    /** Deletes structures that were not opened. */
    public void delete();

    /** How new each structure was at the last checkpoint before the start. */
    Map<String, Long> savedStamps();
  }

  public static final String SLOTS = "slots";
  static final String IDS = "ids";
  static final String SIZES = "sizes";
  static final String INDEX = "index-";
  static final String UNIQUE = "unique-";
  static final String KEY_INDEX = INDEX + CollectionInfo.KEY_INDEX_ID;

  /** Among the stamps: recovery gave each structure what it lacked, which it did not always do. */
  public static final String COMPARED = "compared";

  /** Among the stamps: every structure on disk says whose it is. */
  public static final String OWNED = "owned";

  private final SlotFile slots;
  private final KeyIndex ids;
  private final KeyIndex sizes;
  private final Runnable deleteDirectory;
  private volatile OrderedIndex[] indexes;
  private long lastRecordId;

  /**
   * @param sizes bytes and documents of each partition key; null if there is one key for all
   */
  PartitionFiles(
      SlotFile slots,
      KeyIndex ids,
      KeyIndex sizes,
      OrderedIndex[] indexes,
      Runnable deleteDirectory) {
    this.slots = slots;
    this.ids = ids;
    this.sizes = sizes;
    this.indexes = indexes;
    this.deleteDirectory = deleteDirectory;
    this.lastRecordId = slots.highestId();
  }

  public SlotFile slots() {
    return slots;
  }

  public KeyIndex ids() {
    return ids;
  }

  /** Null when the collection has no partition key. */
  public KeyIndex sizes() {
    return sizes;
  }

  /** All indexes, those that are being built included; a snapshot, never changed in place. */
  public OrderedIndex[] indexes() {
    return indexes;
  }

  public void replaceIndexes(OrderedIndex[] changed) {
    indexes = changed;
  }

  /**
   * The complete index of that name with the same keys. Its options may have changed, but one that
   * was dropped and made anew from other fields is another index.
   */
  public OrderedIndex require(IndexSpec wanted) {
    for (OrderedIndex index : indexes) {
      IndexSpec spec = index.spec();
      if (spec == wanted && index.entry().ready()) {
        return index;
      }
      if (spec.name().equals(wanted.name()) && index.entry().ready() && spec.hasKeysOf(wanted)) {
        return index;
      }
    }
    throw dropped(wanted);
  }

  /** Reads an index that nobody takes away meanwhile. */
  public <T> T inside(IndexSpec wanted, Function<OrderedIndex, T> reading) {
    OrderedIndex index = require(wanted);
    if (!index.tryEnter()) {
      throw dropped(wanted);
    }
    try {
      return reading.apply(index);
    } finally {
      index.leave();
    }
  }

  public static StorageException dropped(IndexSpec index) {
    return new StorageException(
        StorageException.Reason.INDEX_DROPPED, "index '" + index.name() + "' dropped");
  }

  public OrderedIndex find(int indexId) {
    for (OrderedIndex index : indexes) {
      if (index.entry().id() == indexId) {
        return index;
      }
    }
    return null;
  }

  /** A record id that no record of this partition had before. */
  public long allocateRecordId() {
    lastRecordId = givenIds() + 1;
    return lastRecordId;
  }

  /** The highest record id that was ever given. */
  public long givenIds() {
    return Math.max(lastRecordId, slots.highestId());
  }

  /** Gives none of the ids up to this one any more. */
  public void giveIds(long upTo) {
    lastRecordId = Math.max(lastRecordId, upTo);
  }

  public PartitionStatistics statistics() {
    long documents = slots.count();
    long keys = sizes == null ? Math.min(1, documents) : sizes.size();
    return new PartitionStatistics(documents, slots.payloadBytes(), keys);
  }

  /** Bytes and documents of one partition key, or of all when there is one key for all. */
  public PartitionStatistics statistics(byte[] logicalKey) {
    if (sizes == null) {
      return statistics();
    }
    long[] pair = new long[2];
    boolean isPresent = sizes.get(logicalKey, pair);
    return new PartitionStatistics(pair[1], pair[0], isPresent ? 1 : 0);
  }

  /** The same of the documents in a part of the key space. */
  public PartitionStatistics statistics(EpkRange within) {
    if (sizes == null) {
      return statistics();
    }
    long[] sums = new long[3];
    sizes.forEach(
        (key, bytes, documents) -> {
          if (within.contains(PrimaryKeys.epkOfLogicalKey(key))) {
            sums[0] += documents;
            sums[1] += bytes;
            sums[2]++;
          }
        });
    return new PartitionStatistics(sums[0], sums[1], sums[2]);
  }

  /** Looks at every key: for people, not for requests. */
  public LargestKey largestKey() {
    if (sizes == null) {
      return LargestKey.NONE;
    }
    var largest =
        new Object() {
          byte[] key;
          long bytes;
          long documents;
        };
    sizes.forEach(
        (key, bytes, documents) -> {
          if (bytes > largest.bytes) {
            largest.key = key;
            largest.bytes = bytes;
            largest.documents = documents;
          }
        });
    return largest.key == null
        ? LargestKey.NONE
        : new LargestKey(
            PrimaryKeys.valueOfLogicalKey(largest.key), largest.bytes, largest.documents);
  }

  /** With which sequence number each structure was last saved; not above 0 if it never was. */
  public Map<String, Long> stamps() {
    var stamps = structureStamps();
    stamps.put(COMPARED, 1L);
    if (unowned().isEmpty()) {
      stamps.put(OWNED, 1L);
    }
    return stamps;
  }

  /** The structures on disk that do not say whose they are: an older version saved them. */
  public Set<String> unowned() {
    var names = new TreeSet<String>();
    addUnowned(names, SLOTS, slots.lsn(), slots.savedOwner());
    addUnowned(names, IDS, ids);
    addUnowned(names, SIZES, sizes);
    for (OrderedIndex index : indexes) {
      BTree tree = index.tree();
      addUnowned(names, INDEX + index.entry().id(), tree.lsn(), tree.savedOwner());
      addUnowned(names, UNIQUE + index.entry().id(), index.unique());
    }
    return names;
  }

  private static void addUnowned(Set<String> names, String name, KeyIndex map) {
    if (map != null && map.saved() != null) {
      addUnowned(names, name, map.checkpointLsn(), map.saved().owner());
    }
  }

  private static void addUnowned(Set<String> names, String name, long lsn, FileOwner owner) {
    if (lsn > 0 && owner.isNone()) {
      names.add(name);
    }
  }

  private TreeMap<String, Long> structureStamps() {
    var stamps = new TreeMap<String, Long>();
    stamps.put(SLOTS, slots.lsn());
    stamps.put(IDS, ids.checkpointLsn());
    if (sizes != null) {
      stamps.put(SIZES, sizes.checkpointLsn());
    }
    for (OrderedIndex index : indexes) {
      if (index.entry().ready()) {
        stamps.put(INDEX + index.entry().id(), index.tree().lsn());
        if (index.unique() != null) {
          stamps.put(UNIQUE + index.entry().id(), index.unique().checkpointLsn());
        }
      }
    }
    return stamps;
  }

  /** The names of all structures. */
  Set<String> structures() {
    return structureStamps().keySet();
  }

  /** The structures that were never saved. */
  Set<String> unsaved() {
    var stamps = structureStamps();
    stamps.values().removeIf(lsn -> lsn > 0);
    return stamps.keySet();
  }

  /** The structures that have more than a log that ends there. */
  Set<String> newerThan(long lastLsn) {
    var stamps = structureStamps();
    stamps.computeIfPresent(IDS, (name, lsn) -> newestLsn(ids));
    stamps.computeIfPresent(SIZES, (name, lsn) -> newestLsn(sizes));
    for (OrderedIndex index : indexes) {
      String name = UNIQUE + index.entry().id();
      stamps.computeIfPresent(name, (same, lsn) -> newestLsn(index.unique()));
    }
    stamps.values().removeIf(lsn -> lsn <= lastLsn);
    return stamps.keySet();
  }

  private static long newestLsn(KeyIndex map) {
    return map.saved() == null ? KeyIndex.NEVER : map.saved().newestLsn();
  }

  public void countBytes(long bytesAdded) {
    slots.payloadBytes(slots.payloadBytes() + bytesAdded);
  }

  /** Counts a change under its partition key; nothing to do when there is one key for all. */
  public void countKey(byte[] logicalKey, long bytesAdded, int documentsAdded) {
    if (sizes == null) {
      return;
    }
    long[] pair = new long[2];
    sizes.get(logicalKey, pair);
    long documents = pair[1] + documentsAdded;
    if (documents == 0) {
      sizes.remove(logicalKey);
    } else {
      sizes.put(logicalKey, pair[0] + bytesAdded, documents);
    }
  }

  public void close() {
    slots.close();
    ids.close();
    if (sizes != null) {
      sizes.close();
    }
    Arrays.stream(indexes).forEach(OrderedIndex::close);
  }

  public void delete() {
    slots.delete();
    ids.delete();
    if (sizes != null) {
      sizes.delete();
    }
    Arrays.stream(indexes).forEach(OrderedIndex::delete);
    deleteDirectory.run();
  }
}
