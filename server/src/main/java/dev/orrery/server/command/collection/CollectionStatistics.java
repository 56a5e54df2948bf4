package dev.orrery.server.command.collection;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import dev.orrery.server.command.Sizes;
import dev.orrery.server.plan.IndexUses;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNumber;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Counts and sizes of a collection, as the stages $collStats and $indexStats print them.
 *
 * @param collection null when it does not exist
 */
public record CollectionStatistics(Namespace namespace, @Nullable CollectionStore collection) {
  private List<PartitionStore> partitions() {
    return collection == null || collection.info().isView() ? List.of() : collection.partitions();
  }

  public long requireCount() {
    if (collection == null) {
      throw new CommandException(
          ErrorCode.NAMESPACE_NOT_FOUND,
          "Unable to retrieve count in $collStats stage :: caused by :: Collection ["
              + namespace
              + "] not found.");
    }
    return total().documents();
  }

  private PartitionStatistics total() {
    return Sizes.total(partitions());
  }

  private long indexBytes(IndexSpec index) {
    return Sizes.of(partitions(), index).bytes();
  }

  /** {@code options} may have a scale. */
  public BsonDocument storage(BsonValue options) {
    long scale = scale(options);
    PartitionStatistics total = total();
    List<IndexSpec> indexes = collection == null ? List.of() : collection.info().readyIndexes();
    var sizes = new BsonDocument();
    long indexTotal = 0;
    for (IndexSpec index : indexes) {
      long bytes = indexBytes(index);
      indexTotal += bytes;
      sizes.append(index.name(), Numbers.intOrLong(bytes / scale));
    }
    var document =
        new BsonDocument("size", Numbers.intOrLong(total.bytes() / scale))
            .append("count", Numbers.intOrLong(total.documents()));
    if (total.documents() > 0) {
      document.append("avgObjSize", Numbers.intOrLong(total.bytes() / total.documents()));
    }
    return document
        .append("numOrphanDocs", new BsonInt32(0))
        .append("storageSize", Numbers.intOrLong(total.bytes() / scale))
        .append("freeStorageSize", new BsonInt32(0))
        .append("capped", BsonBoolean.valueOf(isCapped()))
        .append("nindexes", new BsonInt32(indexes.size()))
        .append("indexDetails", new BsonDocument())
        .append("indexBuilds", new BsonArray())
        .append("totalIndexSize", Numbers.intOrLong(indexTotal / scale))
        .append("totalSize", Numbers.intOrLong((total.bytes() + indexTotal) / scale))
        .append("indexSizes", sizes)
        .append("scaleFactor", Numbers.intOrLong(scale));
  }

  private boolean isCapped() {
    return collection != null
        && collection.info().options().getBoolean("capped", BsonBoolean.FALSE).getValue();
  }

  private static long scale(BsonValue options) {
    BsonValue scale = options.isDocument() ? options.asDocument().get("scale") : null;
    return scale instanceof BsonNumber number ? Math.max(1, number.longValue()) : 1;
  }

  /** Latencies are not kept for each collection. */
  public static BsonDocument noLatencies() {
    var document = new BsonDocument();
    for (String kind : List.of("reads", "writes", "commands", "transactions")) {
      document.append(
          kind,
          new BsonDocument("latency", new BsonInt64(0))
              .append("ops", new BsonInt64(0))
              .append("queryableEncryptionLatencyMicros", new BsonInt64(0)));
    }
    return document;
  }

  /** One document for each index. */
  public List<BsonDocument> indexes(IndexUses uses, String host) {
    var documents = new ArrayList<BsonDocument>();
    if (collection == null || collection.info().isView()) {
      return documents;
    }
    for (IndexSpec index : collection.info().readyIndexes()) {
      IndexUses.Use use = uses.of(collection, index);
      var accesses =
          new BsonDocument("ops", new BsonInt64(use.operations()))
              .append("since", new BsonDateTime(use.sinceMillis()));
      documents.add(
          new BsonDocument("name", new BsonString(index.name()))
              .append("key", index.keyPattern())
              .append("host", new BsonString(host))
              .append("accesses", accesses)
              .append("spec", index.document()));
    }
    return documents;
  }
}
