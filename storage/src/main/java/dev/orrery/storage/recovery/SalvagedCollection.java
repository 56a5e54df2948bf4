package dev.orrery.storage.recovery;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.keyindex.KeyIndex;
import dev.orrery.storage.keyindex.KeyIndexOptions;
import dev.orrery.storage.log.LogRecord;
import dev.orrery.storage.log.LogSalvage;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.storage.structure.DataRecord;
import dev.orrery.storage.structure.PrimaryKey;
import dev.orrery.storage.structure.PrimaryKeys;
import dev.orrery.value.LittleEndian;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import dev.orrery.value.StringOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** The latest versions of a collection's documents, as far as a damaged log has them. */
final class SalvagedCollection implements AutoCloseable {
  /*
   * Records come in the order of the log, so the last one of a key is its latest version. Without a
   * description nobody knows the partition key, and several documents may have one record id and
   * one _id, each in a partition of its own. Then versions are told apart by what each says of the
   * place of the one before it; where that one cannot be read both are kept, the newer one first.
   */

  /** How a collection came out of it. */
  static final class Count {
    long written;
    long older;
    long lost;
  }

  private final CollectionInfo info;
  private final PrimaryKeys keys;
  private final KeyIndex versions;
  private final Map<Integer, SalvagedSlots> slots = new HashMap<>();

  /**
   * @param info null when nothing is known of the collection
   */
  SalvagedCollection(CollectionInfo info, StringOrder strings, Path scratch) {
    this.info = info;
    this.keys = new PrimaryKeys(info == null ? null : info.partitionKey(), strings);
    this.versions = KeyIndex.open(scratch, KeyIndexOptions.pair().withEphemeral(true));
  }

  CollectionInfo info() {
    return info;
  }

  void add(int partition, SalvagedSlots found) {
    slots.put(partition, found);
  }

  /** Takes note of the next record of the log. */
  void add(long position, long lsn, LogRecord record) {
    DataRecord data = DataRecord.of(record.meta(), 0);
    RawDocument payload = RawDocument.wrap(record.payload());
    boolean isDelete = record.kind() == DataRecord.DELETE;
    if (info == null) {
      addUnknown(data, payload, isDelete ? 0 : position);
      return;
    }
    PrimaryKey key = isDelete ? deleted(payload) : keys.of(payload);
    if (isDelete) {
      versions.remove(key.bytes());
    } else {
      versions.put(key.bytes(), position, lsn);
    }
    SalvagedSlots saved = slotsOf(key);
    if (saved != null && lsn > saved.lsn()) {
      saved.isMadeUpFor(idNow(key, lsn, data));
    }
  }

  /** The record of a deletion has the partition key under its whole path. */
  private PrimaryKey deleted(RawDocument payload) {
    String path = info.partitionKey();
    RawValue id = payload.field("_id".getBytes(StandardCharsets.UTF_8));
    RawValue partitionKey =
        path == null ? null : payload.field(path.getBytes(StandardCharsets.UTF_8));
    return keys.of(partitionKey, id);
  }

  private long idNow(PrimaryKey key, long lsn, DataRecord data) {
    return info.partitions().recordIdNow(key.epk(), lsn, data.recordId());
  }

  private SalvagedSlots slotsOf(PrimaryKey key) {
    PartitionMap map = info.partitions();
    int index = keys.isPartitioned() ? map.indexOf(key.epk()) : 0;
    return slots.get(map.entries().get(index).id());
  }

  /**
   * @param position 0 for a deletion
   */
  private void addUnknown(DataRecord data, RawDocument payload, long position) {
    byte[] id = keys.of(payload).bytes();
    byte[] key = Arrays.copyOf(id, id.length + Long.BYTES + Integer.BYTES);
    LittleEndian.putInt64(key, id.length, data.recordId());
    long[] found = new long[2];
    int variants = 0;
    for (; versions.get(variant(key, variants), found); variants++) {
      if (found[0] == data.previous()) {
        versions.put(key, position, 0);
        return;
      }
    }
    if (position != 0) {
      versions.put(key, position, 0);
    }
  }

  private static byte[] variant(byte[] key, int number) {
    LittleEndian.putInt32(key, key.length - Integer.BYTES, number);
    return key;
  }

  /** Hands over the documents, in the order of the log, or the newest first if little is known. */
  Count write(LogSalvage log, Consumer<byte[]> output) {
    var count = new Count();
    long[] positions = new long[Math.toIntExact(versions.size())];
    int[] filled = new int[1];
    versions.forEach((key, position, lsn) -> positions[filled[0]++] = position);
    Arrays.sort(positions);
    for (int i = 0; i < positions.length; i++) {
      long position = positions[info == null ? positions.length - 1 - i : i];
      LogRecord record = position == 0 ? null : log.find(position);
      if (record != null && isWanted(log, record, position, count)) {
        output.accept(record.payload());
        count.written++;
      }
    }
    slots.values().forEach(one -> count.lost += one.lost());
    return count;
  }

  private boolean isWanted(LogSalvage log, LogRecord record, long position, Count count) {
    if (info == null) {
      return true;
    }
    PrimaryKey key = keys.of(RawDocument.wrap(record.payload()));
    SalvagedSlots saved = slotsOf(key);
    long[] version = new long[2];
    if (saved == null || !versions.get(key.bytes(), version) || version[1] > saved.lsn()) {
      return true; // only the log knows
    }
    long recordId = idNow(key, version[1], DataRecord.of(record.meta(), 0));
    long present = saved.position(recordId);
    if (present == position) {
      return true;
    }
    boolean isOlder = present != 0 && log.find(present) == null;
    if (isOlder) {
      saved.isMadeUpFor(recordId);
      count.older++;
    }
    return isOlder; // else it was deleted, or replaced by what is written too
  }

  @Override
  public void close() {
    slots.values().forEach(SalvagedSlots::close);
    try {
      versions.delete();
    } catch (StorageException e) {
      return; // scratch; whoever made the directory removes it
    }
  }
}
