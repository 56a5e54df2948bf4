package dev.orrery.server.transfer.analysis;

import dev.orrery.server.transfer.source.BadRecordException;
import dev.orrery.server.transfer.source.ByteSize;
import dev.orrery.server.transfer.source.SourceCollection;
import dev.orrery.server.transfer.source.SourceRecord;
import dev.orrery.server.transfer.source.TransferFailures;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.partition.EffectivePartitionKey;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;

/** What an import of one collection would meet. */
final class CollectionAnalysis implements Closeable {
  private static final long MEGABYTE = 1 << 20;
  private static final long COSMOS_BYTES_MAX = 2 * MEGABYTE;
  private static final long DOCUMENT_BYTES_MAX = 16 * MEGABYTE;
  private static final int INDEXES_MAX = 64;
  private static final long PARTITION_THROUGHPUT = 10_000;
  private static final long PARTITION_BYTES = 50L << 30;

  private final Namespace target;
  private final CollectionSettings settings;
  private final List<ShardKeyAnalysis> shardKeys = new ArrayList<>();
  private final List<IndexAnalysis> indexes = new ArrayList<>();
  private long records;
  private long documents;
  private long bytes;
  private long bad;
  private long large;
  private long tooLarge;
  private long withoutId;
  private int largest;
  private String largestPlace = "";

  /**
   * An analysis.
   *
   * @param candidates paths that may become the partition key; the last one is the one that counts
   */
  CollectionAnalysis(
      SourceCollection source,
      Namespace target,
      CollectionSettings settings,
      List<String> candidates) {
    this.target = target;
    this.settings = settings;
    candidates.forEach(path -> shardKeys.add(new ShardKeyAnalysis(path)));
    var specs = new ArrayList<BsonDocument>();
    specs.add(collated(IndexSpec.idIndex().document(), source));
    settings.uniqueIndexes().forEach(index -> specs.add(collated(index, source)));
    specs.addAll(source.metadata().secondaryIndexes());
    specs.forEach(spec -> indexes.add(new IndexAnalysis(spec, settings.shardKey())));
  }

  /** Indexes that no dump describes have the collation of their collection. */
  private static BsonDocument collated(BsonDocument index, SourceCollection source) {
    return source.metadata().hasCollation()
        ? index.clone().append("collation", source.metadata().options().get("collation"))
        : index;
  }

  void add(SourceRecord record, TransferFailures failures) throws IOException {
    long ordinal = records++;
    RawDocument document;
    try {
      document = record.document();
    } catch (BadRecordException e) {
      bad++;
      failures.add(e.getMessage());
      return;
    }
    measure(document, record);
    EffectivePartitionKey partition = null;
    for (ShardKeyAnalysis shardKey : shardKeys) {
      partition = shardKey.add(document);
    }
    boolean hasId = document.field("_id") != null;
    withoutId += hasId ? 0 : 1;
    for (int i = hasId ? 0 : 1; i < indexes.size(); i++) {
      indexes.get(i).add(document, ordinal, partition);
    }
  }

  private void measure(RawDocument document, SourceRecord record) {
    documents++;
    bytes += document.length();
    large += document.length() > COSMOS_BYTES_MAX ? 1 : 0;
    tooLarge += document.length() > DOCUMENT_BYTES_MAX ? 1 : 0;
    if (document.length() > largest) {
      largest = document.length();
      largestPlace = record.place();
    }
  }

  void finish() throws IOException {
    for (IndexAnalysis index : indexes) {
      index.finish();
    }
  }

  /** Whether every document and index would arrive. */
  boolean isSound(long logicalPartitionBytes) {
    return bad == 0
        && tooLarge == 0
        && indexes.size() <= INDEXES_MAX
        && indexes.stream().allMatch(IndexAnalysis::isSound)
        && shardKeys.stream()
            .allMatch(key -> key.refused() == 0 && key.oversized(logicalPartitionBytes) == 0);
  }

  List<String> report(long logicalPartitionBytes) {
    var lines = new ArrayList<String>();
    lines.add("%s: %,d documents, %s".formatted(target, documents, ByteSize.text(bytes)));
    if (documents > 0) {
      lines.add("  largest document %s (%s)".formatted(ByteSize.text(largest), largestPlace));
    }
    addCount(lines, bad, "records are no documents and will be left out");
    addCount(lines, tooLarge, "documents are larger than 16 MB and will be refused");
    addCount(lines, large - tooLarge, "documents are larger than 2 MB, the most Cosmos DB takes");
    addCount(lines, withoutId, "documents have no _id and will get one");
    for (ShardKeyAnalysis shardKey : shardKeys) {
      lines.addAll(shardKey.report(logicalPartitionBytes, partitions()));
    }
    indexes.forEach(index -> lines.addAll(index.report()));
    if (indexes.size() > INDEXES_MAX) {
      lines.add("  %d indexes are more than a collection can have (64)".formatted(indexes.size()));
    }
    return lines;
  }

  private static void addCount(List<String> lines, long count, String what) {
    if (count > 0) {
      lines.add("  %,d %s".formatted(count, what));
    }
  }

  /** How many physical partitions the throughput or the size asks for. */
  private int partitions() {
    long throughput = settings.throughput() == null ? 0 : settings.throughput();
    long byThroughput = (throughput + PARTITION_THROUGHPUT - 1) / PARTITION_THROUGHPUT;
    long bySize = (bytes + PARTITION_BYTES - 1) / PARTITION_BYTES;
    return (int) Math.max(1, Math.max(byThroughput, bySize));
  }

  @Override
  public void close() {
    indexes.forEach(IndexAnalysis::close);
  }
}
