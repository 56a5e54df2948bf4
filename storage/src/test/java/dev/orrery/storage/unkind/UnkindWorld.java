package dev.orrery.storage.unkind;

import dev.orrery.storage.CommitClock;
import dev.orrery.storage.PartitionStore.LargestKey;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageHooks;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.commit.Claims;
import dev.orrery.storage.index.IndexKeySet;
import dev.orrery.storage.index.IndexKeys;
import dev.orrery.storage.structure.PrimaryKeys;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import dev.orrery.value.StringOrder;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonUndefined;
import org.bson.BsonValue;

/**
 * What an unkind engine keeps, also when it is closed and opened again. Whoever looks at it, or
 * changes it, holds its monitor.
 */
public final class UnkindWorld {
  static final long NEWEST = Long.MAX_VALUE;

  /**
   * How it behaves.
   *
   * @param logicalPartitionBytes what one partition key may hold
   * @param conflictsOneIn how often a write is told to read again, for no reason; 0 for never
   */
  public record Options(long logicalPartitionBytes, int conflictsOneIn) {
    public static final Options KIND = new Options(Long.MAX_VALUE, 0);
    public static final Options UNKIND = new Options(Long.MAX_VALUE, 30);
  }

  final StorageHooks hooks;
  final Options options;
  final CommitClock clock;
  final TreeMap<String, UnkindCollection> collections = new TreeMap<>();
  final Map<String, Map<String, BsonDocument>> settings = new HashMap<>();
  final UnkindFeed feed = new UnkindFeed(this);
  final LongAdder fetches = new LongAdder();
  private final Random random;
  private final Map<UnkindRecord, UnkindCollection> untidy = new LinkedHashMap<>();
  private final List<Long> openViews = new ArrayList<>();
  private Network network;
  private boolean isOpen;

  /** When names were last taken from collections, or given to others. */
  final Map<Namespace, Long> renamed = new HashMap<>();

  long sequence;
  long order;
  int nextCollection = 1;

  public UnkindWorld(StorageHooks hooks, Options options, Clock clock, long seed) {
    this.hooks = hooks;
    this.options = options;
    this.clock = new CommitClock(clock);
    this.random = new Random(seed);
  }

  /** How often somebody asked for records, one or many. */
  public long fetches() {
    return fetches.sum();
  }

  synchronized void open() {
    network = new Network(random);
    isOpen = true;
  }

  void close() {
    synchronized (this) {
      isOpen = false;
      openViews.clear();
      tidy();
    }
    network.close();
  }

  void requireOpen() {
    if (!isOpen) {
      throw new StorageException(StorageException.Reason.UNAVAILABLE, "the engine is closed");
    }
  }

  /** Answers from another thread, with the world locked. */
  <T> CompletionStage<T> ask(Supplier<T> question) {
    requireOpen();
    return network.ask(
        () -> {
          synchronized (this) {
            return question.get();
          }
        });
  }

  /** Answers in this thread, with the world locked, after a while. */
  <T> T wait(Supplier<T> question) {
    requireOpen();
    return network.wait(
        () -> {
          synchronized (this) {
            requireOpen();
            return question.get();
          }
        });
  }

  int nextInt(int bound) {
    return network.nextInt(bound);
  }

  long nextId() {
    return network.nextId();
  }

  /** What open transactions keep others from changing. */
  final Claims claims = new Claims();

  boolean isUnlucky() {
    return network.isOneIn(options.conflictsOneIn());
  }

  UnkindCollection find(Namespace namespace) {
    return collections.get(namespace.toString());
  }

  PrimaryKeys keys(CollectionInfo info) {
    BsonValue collation = info.options().get("collation");
    StringOrder strings =
        collation == null || !collation.isDocument()
            ? StringOrder.UTF8
            : hooks.collation(collation.asDocument());
    return new PrimaryKeys(info.partitionKey(), strings);
  }

  UnkindIndex index(CollectionInfo.IndexEntry entry) {
    return new UnkindIndex(entry, keys(entry.spec()), sequence);
  }

  IndexKeys keys(IndexSpec spec) {
    StringOrder strings =
        spec.collation() == null ? StringOrder.UTF8 : hooks.collation(spec.collation());
    return IndexKeys.of(
        spec,
        strings,
        spec.partialFilter() == null ? document -> true : hooks.filter(spec.partialFilter()),
        hooks::specialKeys);
  }

  /** The keys of a document in all indexes. */
  static Map<Integer, IndexKeySet> keysOf(UnkindCollection collection, RawDocument document) {
    var keys = new HashMap<Integer, IndexKeySet>();
    collection.indexes.forEach((id, index) -> keys.put(id, index.keys.extract(document)));
    return keys;
  }

  long pin() {
    openViews.add(sequence);
    return sequence;
  }

  void unpin(long pinned) {
    if (openViews.remove((Long) pinned)) {
      tidy();
    }
  }

  /** Refuses a view that is over. */
  void requireSeen(long wanted) {
    if (wanted != NEWEST && !openViews.contains(wanted)) {
      throw new StorageException(StorageException.Reason.POINT_LOST, "the point is over");
    }
  }

  void changed(UnkindCollection collection, UnkindRecord record) {
    untidy.put(record, collection);
    tidy();
  }

  /** Whether indexes have entries of the newest versions alone. */
  boolean isTidy() {
    return untidy.isEmpty();
  }

  private void tidy() {
    if (openViews.isEmpty()) {
      untidy.forEach((record, collection) -> collection.tidy(record));
      untidy.clear();
    }
  }

  synchronized LargestKey largestKey(UnkindPartition partition) {
    UnkindCollection collection = partition.collection;
    if (collection.info.partitionKey() == null) {
      return LargestKey.NONE;
    }
    LargestKey largest = LargestKey.NONE;
    for (UnkindRecord record : collection.inOrder.values()) {
      UnkindCollection.Size size = collection.size(record.key);
      if (partition.owns(record) && record.at(NEWEST) != null && size.bytes > largest.bytes()) {
        RawValue value = record.key.partitionKey();
        largest =
            new LargestKey(
                value == null ? new BsonUndefined() : value.toBsonValue(),
                size.bytes,
                size.documents);
      }
    }
    return largest;
  }
}
