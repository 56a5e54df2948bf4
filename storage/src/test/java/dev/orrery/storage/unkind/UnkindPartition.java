package dev.orrery.storage.unkind;

import dev.orrery.storage.Fetch;
import dev.orrery.storage.IndexCursor;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.partition.EpkRange;
import dev.orrery.value.BsonEncoder;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A part of a collection's key space, as of a commit; another object each time it is asked for. */
final class UnkindPartition implements PartitionStore {
  private static final int FETCH_SIZE = 7;

  final UnkindCollection collection;
  final EpkRange range;
  final long sequence;
  private final int id;

  UnkindPartition(UnkindCollection collection, int id, EpkRange range, long sequence) {
    this.collection = collection;
    this.id = id;
    this.range = range;
    this.sequence = sequence;
  }

  UnkindWorld world() {
    return collection.world;
  }

  @Override
  public int id() {
    return id;
  }

  @Override
  public EpkRange range() {
    return range;
  }

  boolean owns(UnkindRecord record) {
    return range.contains(record.key.epk());
  }

  /** Dropped collections are empty now, and were never anything for those who read the past. */
  boolean isThere() {
    world().requireOpen();
    world().requireSeen(sequence);
    if (collection.isDropped && sequence != UnkindWorld.NEWEST) {
      collection.requireExists();
    }
    return !collection.isDropped;
  }

  @Nullable StoredDocument seen(@Nullable UnkindRecord record, WorkMeter meter) {
    UnkindRecord.Version version = record == null ? null : record.at(sequence);
    if (version == null) {
      return null;
    }
    meter.loadDocument(version.document().length());
    return new StoredDocument(this, record.id, version.token(), version.document());
  }

  @Override
  public CompletionStage<@Nullable StoredDocument> find(byte[] primaryKey, WorkMeter meter) {
    return world().ask(() -> isThere() ? seen(collection.find(primaryKey, sequence), meter) : null);
  }

  @Override
  public CompletionStage<Boolean> copy(byte[] primaryKey, BsonEncoder out, WorkMeter meter) {
    return find(primaryKey, meter)
        .thenApply(
            found -> {
              if (found != null) {
                out.writeDocument(found.document());
              }
              return found != null;
            });
  }

  @Override
  public CompletionStage<?> fetch(Fetch records, WorkMeter meter) {
    world().fetches.increment();
    return world()
        .ask(
            () -> {
              for (int i = 0; i < records.size() && isThere(); i++) {
                records.found(i, seen(collection.byId.get(records.recordId(i)), meter));
              }
              return null;
            });
  }

  @Override
  public int fetchSize() {
    return FETCH_SIZE;
  }

  @Override
  public RecordCursor scan(boolean reverse) {
    return new UnkindScan(this, reverse);
  }

  @Override
  public IndexCursor scan(IndexSpec index, IndexRange wanted) {
    return new UnkindIndexCursor(this, index, wanted);
  }

  /** The index of that description, or why there is none. */
  UnkindIndex require(IndexSpec spec) {
    UnkindIndex index = collection.index(spec.name());
    if (index == null || !index.entry.spec().document().equals(spec.document())) {
      throw dropped(spec);
    }
    if (sequence != UnkindWorld.NEWEST && index.since > sequence) {
      throw new StorageException(
          StorageException.Reason.POINT_LOST, "index '" + spec.name() + "' is too young");
    }
    return index;
  }

  static StorageException dropped(IndexSpec spec) {
    return new StorageException(
        StorageException.Reason.INDEX_DROPPED, "index '" + spec.name() + "' dropped");
  }

  @Override
  public OptionalLong estimate(IndexSpec index, IndexRange wanted) {
    synchronized (world()) {
      if (collection.isDropped) {
        return OptionalLong.empty();
      }
      var cursor = new UnkindIndexCursor(this, index, wanted);
      return OptionalLong.of(cursor.count());
    }
  }

  @Override
  public PartitionStatistics statistics() {
    synchronized (world()) {
      if (range.equals(EpkRange.ALL)) {
        return collection.total;
      }
      long bytes = 0;
      long documents = 0;
      long keys = 0;
      for (Map<?, UnkindCollection.Size> sizes :
          collection
              .sizes
              .subMap(range.minInclusive(), true, range.maxExclusive(), false)
              .values()) {
        for (UnkindCollection.Size size : sizes.values()) {
          bytes += size.bytes;
          documents += size.documents;
          keys++;
        }
      }
      return new PartitionStatistics(documents, bytes, keys);
    }
  }

  @Override
  public IndexStatistics statistics(IndexSpec index) {
    synchronized (world()) {
      collection.requireExists();
      UnkindIndex found = require(index);
      long entries =
          range.equals(EpkRange.ALL) && world().isTidy()
              ? found.entries.size()
              : new UnkindIndexCursor(this, index, IndexRange.all(false)).count();
      return new IndexStatistics(entries, 30 * entries, found.seen);
    }
  }

  @Override
  public @Nullable LargestKey largestKey() {
    return world().largestKey(this);
  }
}
