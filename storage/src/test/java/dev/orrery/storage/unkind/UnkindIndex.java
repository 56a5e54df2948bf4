package dev.orrery.storage.unkind;

import dev.orrery.storage.PartitionStore.FieldsSeen;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.index.IndexKeySet;
import dev.orrery.storage.index.IndexKeys;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;

/** One index over all partitions of a collection, with entries of old versions too. */
final class UnkindIndex {
  /** A key and the record that has, or had it. */
  record Entry(byte[] key, long order) implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      int difference = Arrays.compareUnsigned(key, other.key);
      return difference != 0 ? difference : Long.compare(order, other.order);
    }
  }

  final TreeMap<Entry, UnkindRecord> entries = new TreeMap<>();
  final IndexKeys keys;

  /** From which commit on it has everything. */
  final long since;

  IndexEntry entry;
  boolean isDropped;
  FieldsSeen seen = FieldsSeen.NOTHING;

  UnkindIndex(IndexEntry entry, IndexKeys keys, long since) {
    this.entry = entry;
    this.keys = keys;
    this.since = since;
  }

  void add(UnkindRecord record, IndexKeySet added) {
    long arrays = seen.multikeyFields();
    for (int i = 0; i < added.multikeyPaths().size(); i++) {
      arrays |= added.multikeyPaths().get(i).isEmpty() ? 0 : 1L << i;
    }
    seen = new FieldsSeen(arrays, seen.numbers().with(added.numbers()));
    added.keys().forEach(key -> entries.put(new Entry(key, record.order), record));
  }

  /** Whether keys in ascending order have that one. */
  static boolean has(List<byte[]> ascending, byte[] key) {
    return Collections.binarySearch(ascending, key, Arrays::compareUnsigned) >= 0;
  }

  /** Whether a version of a record has a key. */
  boolean has(UnkindRecord.Version version, byte[] key) {
    IndexKeySet own = version.keys().get(entry.id());
    return own != null && has(own.keys(), key);
  }
}
