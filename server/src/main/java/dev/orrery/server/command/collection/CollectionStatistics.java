package dev.orrery.server.command.collection;

import dev.orrery.language.aggregate.stage.StageFailures;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import dev.orrery.server.command.Sizes;
import dev.orrery.server.operation.Top;
import dev.orrery.server.operation.Top.Sum;
import dev.orrery.server.operation.Top.Use;
import dev.orrery.server.plan.IndexUses;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Counts and sizes of a collection, as the stages $collStats and $indexStats print them.
 *
 * @param collection null when it does not exist
 */
public record CollectionStatistics(Namespace namespace, @Nullable CollectionStore collection) {
  private static final Set<Use> READS = Set.of(Use.QUERIES, Use.GETMORE, Use.READING_COMMANDS);
  private static final Set<Use> WRITES = Set.of(Use.INSERT, Use.UPDATE, Use.REMOVE);

  /** What was asked of the statistics that cannot be had without a collection. */
  private CollectionStore require(String part) {
    return StageFailures.within(
        "Unable to retrieve " + part + " in $collStats stage",
        () -> {
          if (collection == null) {
            throw new CommandException(
                ErrorCode.NAMESPACE_NOT_FOUND, "Collection [" + namespace + "] not found.");
          }
          ViewErrors.requireCollection(collection);
          return collection;
        });
  }

  public long requireCount() {
    return Sizes.total(require("count").partitions()).documents();
  }

  /** {@code scale} divides all sizes. */
  public BsonDocument requireStorage(long scale) {
    return storage(require("storageStats"), scale);
  }

  /** How often it was read as a whole. */
  public BsonDocument requireScans(IndexUses uses) {
    IndexUses.Scans scans = uses.scans(require("queryExecStats"));
    return new BsonDocument(
        "collectionScans",
        new BsonDocument("total", new BsonInt64(scans.all()))
            .append("nonTailable", new BsonInt64(scans.all() - scans.tailable())));
  }

  /** Sizes of documents and indexes. */
  public static BsonDocument storage(CollectionStore collection, long scale) {
    Sizes sizes = Sizes.of(collection);
    var storage =
        new BsonDocument("size", Numbers.intOrLong(sizes.bytes() / scale))
            .append("count", Numbers.intOrLong(sizes.documents()));
    if (sizes.documents() > 0) {
      storage.append("avgObjSize", Numbers.intOrLong(sizes.bytes() / sizes.documents()));
    }
    storage
        .append("numOrphanDocs", new BsonInt32(0))
        .append("storageSize", Numbers.intOrLong(sizes.bytes() / scale))
        .append("freeStorageSize", new BsonInt32(0));
    appendCapped(storage, collection.info().options(), scale);
    var details = new BsonDocument();
    var indexSizes = new BsonDocument();
    sizes
        .indexBytes()
        .forEach(
            (name, bytes) -> {
              details.append(name, new BsonDocument());
              indexSizes.append(name, Numbers.intOrLong(bytes / scale));
            });
    return storage
        .append("nindexes", new BsonInt32(indexSizes.size()))
        .append("indexDetails", details)
        .append("indexBuilds", builds(collection))
        .append("totalIndexSize", Numbers.intOrLong(sizes.totalIndexBytes() / scale))
        .append("indexSizes", indexSizes)
        .append("totalSize", Numbers.intOrLong(sizes.totalBytes() / scale))
        .append("scaleFactor", Numbers.intOrLong(scale));
  }

  private static void appendCapped(BsonDocument storage, BsonDocument options, long scale) {
    boolean isCapped = options.getBoolean("capped", BsonBoolean.FALSE).getValue();
    storage.append("capped", BsonBoolean.valueOf(isCapped));
    if (isCapped) {
      BsonValue max = options.getOrDefault("max", new BsonInt64(0));
      storage
          .append("max", Numbers.intOrLong(max.asNumber().longValue()))
          .append("maxSize", Numbers.intOrLong(options.getNumber("size").longValue() / scale));
    }
  }

  private static BsonArray builds(CollectionStore collection) {
    var names = new BsonArray();
    collection.info().indexes().stream()
        .filter(index -> !index.ready())
        .forEach(index -> names.add(new BsonString(index.spec().name())));
    return names;
  }

  /** How long reads, writes and other commands took. */
  public BsonDocument latencies(Top top, boolean hasHistograms) {
    Map<Use, Sum> sums = top.sums(namespace.database(), namespace.collection());
    return new BsonDocument("reads", latency(sums, READS, hasHistograms))
        .append("writes", latency(sums, WRITES, hasHistograms))
        .append("commands", latency(sums, Set.of(Use.WRITING_COMMANDS), hasHistograms))
        .append("transactions", latency(sums, Set.of(), hasHistograms));
  }

  private static BsonDocument latency(Map<Use, Sum> sums, Set<Use> uses, boolean hasHistogram) {
    long nanos = 0;
    long operations = 0;
    var ranges = new TreeMap<Long, Long>();
    for (Use use : uses) {
      Sum sum = sums.get(use);
      if (sum != null) {
        nanos += sum.nanos();
        operations += sum.count();
        sum.histogram().counts().forEach((from, count) -> ranges.merge(from, count, Long::sum));
      }
    }
    var latency = new BsonDocument();
    if (hasHistogram) {
      var histogram = new BsonArray();
      ranges.forEach(
          (from, count) ->
              histogram.add(
                  new BsonDocument("micros", new BsonInt64(from))
                      .append("count", new BsonInt64(count))));
      latency.append("histogram", histogram);
    }
    return latency
        .append("latency", new BsonInt64(TimeUnit.NANOSECONDS.toMicros(nanos)))
        .append("ops", new BsonInt64(operations))
        .append("queryableEncryptionLatencyMicros", new BsonInt64(0));
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
