package dev.orrery.storage;

import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.catalog.NumberTypes;
import dev.orrery.storage.partition.EpkRange;
import dev.orrery.value.BsonEncoder;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * One physical partition of a collection: the documents whose partition key hashes into its range.
 * Reads see what their {@link View} shows: without one, every committed write, whether durable yet
 * or not. Figures are those of the present in any case. All methods may be called from any thread.
 *
 * <p>What may have to wait for a disk or another process returns a stage. On an event loop it may
 * also throw a {@link dev.orrery.lane.WouldWaitException}. Everything else answers at once.
 */
public interface PartitionStore {
  /** Unique within the collection and never reused. */
  int id();

  EpkRange range();

  /** The document with that primary key (see {@link CollectionStore#primaryKey}), or null. */
  CompletionStage<@Nullable StoredDocument> find(byte[] primaryKey, WorkMeter meter);

  /**
   * Appends the document with that primary key to {@code out}, copied once; false, and nothing
   * appended, when there is none.
   */
  CompletionStage<Boolean> copy(byte[] primaryKey, BsonEncoder out, WorkMeter meter);

  /** Reads the documents of records, all that are asked for. */
  CompletionStage<?> fetch(Fetch records, WorkMeter meter);

  /** How many records it pays to fetch at a time. */
  int fetchSize();

  /** The document of one record, or null when there is none (any more). */
  default CompletionStage<@Nullable StoredDocument> read(long recordId, WorkMeter meter) {
    var one = new Fetch(1);
    one.add(recordId);
    return fetch(one, meter).thenApply(done -> one.take(0));
  }

  /** All documents in natural order, or against it. */
  RecordCursor scan(boolean reverse);

  /** Entries of an ordered index; the index must be ready. */
  IndexCursor scan(IndexSpec index, IndexRange range);

  /** About how many entries of an index a range holds; nothing when that is not known at once. */
  OptionalLong estimate(IndexSpec index, IndexRange range);

  PartitionStatistics statistics();

  /** The same if nothing has to be opened or asked for it, else null. */
  default @Nullable PartitionStatistics statisticsAtHand() {
    return statistics();
  }

  IndexStatistics statistics(IndexSpec index);

  /** What the fields of an index ever met, without counting its entries. */
  default FieldsSeen fieldsSeen(IndexSpec index) {
    return statistics(index).fields();
  }

  /**
   * The partition key with the most bytes; {@link LargestKey#NONE} without keys or documents, null
   * when it is not known.
   */
  @Nullable LargestKey largestKey();

  /**
   * A value of the partition key and what is stored under it.
   *
   * @param value undefined for documents that lack the key; null when it is too long to be kept
   */
  record LargestKey(BsonValue value, long bytes, long documents) {
    public static final LargestKey NONE = new LargestKey(null, 0, 0);

    /** The one with more bytes. */
    public LargestKey larger(LargestKey other) {
      return other.bytes > bytes ? other : this;
    }
  }

  /**
   * How many entries an index has, how many bytes of memory or disk it takes, and what its fields
   * ever met in a document.
   */
  record IndexStatistics(long entries, long bytes, FieldsSeen fields) {
    public long multikeyFields() {
      return fields.multikeyFields();
    }

    public IndexStatistics plus(IndexStatistics other) {
      return new IndexStatistics(
          entries + other.entries, bytes + other.bytes, fields.with(other.fields));
    }
  }

  /**
   * What the fields of an index ever met. It is known before the entry is to be seen, so to read an
   * entry first and this then is safe.
   *
   * @param multikeyFields a bit for each field of the key pattern in which a document had an array
   */
  record FieldsSeen(long multikeyFields, NumberTypes numbers) {
    public static final FieldsSeen NOTHING = new FieldsSeen(0, NumberTypes.NOTHING);

    /** What they met in several partitions. */
    public FieldsSeen with(FieldsSeen other) {
      return new FieldsSeen(multikeyFields | other.multikeyFields, numbers.with(other.numbers));
    }
  }
}
