package dev.orrery.storage.postgres;

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
import dev.orrery.storage.postgres.PartReads.Found;
import dev.orrery.storage.postgres.PartReads.Target;
import dev.orrery.value.BsonEncoder;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A part of a collection's key space, read where its reader reads. */
final class PostgresPartition implements PartitionStore {
  private static final int FETCH_MAX = 256;
  private static final long FETCH_BYTES = 4L << 20;

  final PostgresCollection collection;
  final Reader reader;
  private final int id;
  private final EpkRange range;
  private final Prefetched prefetched = new Prefetched();

  PostgresPartition(PostgresCollection collection, Reader reader, int id, EpkRange range) {
    this.collection = collection;
    this.reader = reader;
    this.id = id;
    this.range = range;
  }

  @Override
  public int id() {
    return id;
  }

  @Override
  public EpkRange range() {
    return range;
  }

  Prefetched prefetched() {
    return prefetched;
  }

  /** Which rows to read; null when the collection is no more. */
  @Nullable Target target() {
    CollectionState state = reader.state(collection);
    return state == null ? null : Target.of(state, id, range);
  }

  StoredDocument stored(Found found) {
    return new StoredDocument(
        this, found.record(), found.version(), RawDocument.wrap(found.body()));
  }

  @Nullable StoredDocument metered(@Nullable StoredDocument found, WorkMeter meter) {
    if (found != null) {
      meter.loadDocument(found.document().length());
    }
    return found;
  }

  private PartReads reads(DatabaseSession session) {
    return new PartReads(this, session);
  }

  @Override
  public CompletionStage<@Nullable StoredDocument> find(byte[] primaryKey, WorkMeter meter) {
    return reader
        .ask(
            session -> {
              Found found = reads(session).find(primaryKey);
              return found == null ? null : stored(found);
            })
        .thenApply(found -> metered(found, meter));
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
    var documents = new HashMap<Long, StoredDocument>();
    var missing = new ArrayList<Long>();
    for (int i = 0; i < records.size(); i++) {
      StoredDocument known = prefetched.take(records.recordId(i));
      if (known != null) {
        documents.put(records.recordId(i), known);
      } else {
        missing.add(records.recordId(i));
      }
    }
    if (missing.isEmpty()) {
      tell(records, documents, meter);
      return CompletableFuture.completedFuture(null);
    }
    long[] ids = missing.stream().mapToLong(Long::longValue).toArray();
    return reader
        .ask(session -> reads(session).fetch(ids))
        .thenAccept(
            found -> {
              found.forEach(one -> documents.put(one.record(), stored(one)));
              tell(records, documents, meter);
            });
  }

  private void tell(Fetch records, Map<Long, StoredDocument> documents, WorkMeter meter) {
    for (int i = 0; i < records.size(); i++) {
      records.found(i, metered(documents.get(records.recordId(i)), meter));
    }
  }

  /** As many as are likely to fit into some megabytes. */
  @Override
  public int fetchSize() {
    PartitionStatistics sizes = statisticsAtHand();
    if (sizes == null || sizes.documents() == 0) {
      return FETCH_MAX;
    }
    long average = Math.max(1, sizes.bytes() / sizes.documents());
    return (int) Math.max(1, Math.min(FETCH_MAX, FETCH_BYTES / average));
  }

  @Override
  public RecordCursor scan(boolean reverse) {
    return new PostgresScan(this, reverse);
  }

  @Override
  public IndexCursor scan(IndexSpec index, IndexRange wanted) {
    return new PostgresIndexCursor(this, index, wanted);
  }

  /** The index of that description, or why there is none. */
  CollectionState.Index require(CollectionState state, IndexSpec spec) {
    CollectionState.Index index = state.find(spec);
    if (index == null) {
      throw dropped(spec);
    }
    return index;
  }

  static StorageException dropped(IndexSpec spec) {
    return new StorageException(
        StorageException.Reason.INDEX_DROPPED, "index '" + spec.name() + "' dropped");
  }

  @Override
  public OptionalLong estimate(IndexSpec index, IndexRange wanted) {
    PartitionStatistics sizes =
        wanted.low() == null && wanted.high() == null ? statisticsAtHand() : null;
    return sizes == null ? OptionalLong.empty() : OptionalLong.of(sizes.documents());
  }

  @Override
  public PartitionStatistics statistics() {
    return reader.wait(session -> reads(session).statistics());
  }

  @Override
  public @Nullable PartitionStatistics statisticsAtHand() {
    CollectionState state = reader.state(collection);
    return state == null
        ? PartitionStatistics.NONE
        : collection.engine.facts().sizes(state.part(id));
  }

  @Override
  public FieldsSeen fieldsSeen(IndexSpec spec) {
    Target target = target();
    if (target == null) {
      throw collection.dropped();
    }
    int index = require(target.state(), spec).id();
    var seen = Seen.NOTHING;
    for (long part : target.parts()) {
      Seen known = collection.engine.facts().seen(part, index);
      if (known == null) {
        known = reader.wait(session -> reads(session).seen(part, index));
        collection.engine.facts().isStored(part, index, known);
      }
      seen = seen.with(known);
    }
    return seen.fields();
  }

  @Override
  public IndexStatistics statistics(IndexSpec spec) {
    FieldsSeen fields = fieldsSeen(spec);
    return reader.wait(session -> reads(session).statistics(spec, fields));
  }

  @Override
  public @Nullable LargestKey largestKey() {
    if (collection.info().partitionKey() == null) {
      return LargestKey.NONE;
    }
    List<LargestKey> largest = reader.wait(session -> reads(session).largest());
    return largest.isEmpty() ? LargestKey.NONE : largest.get(0);
  }

  @Override
  public String toString() {
    return collection + " partition " + id;
  }
}
