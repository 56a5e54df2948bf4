package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.View;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.physical.PhysicalPartition;
import dev.orrery.storage.structure.SplitPoint;
import dev.orrery.value.KeyEncoder;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random batches on one collection, with splits, merges, compactions, checkpoints and index builds
 * in between. Now and then a view is pinned and the model copied: until the view is closed it must
 * show what the copy holds, by every way to read.
 */
final class ReadPointWalkTest {
  private static final Namespace NAMESPACE = new Namespace("db", "walk");
  private static final int KEYS = 12;

  @TempDir Path directory;
  private ChronicleEngine engine;
  private Random random;
  private boolean isPartitioned;
  private final Map<String, BsonDocument> model = new HashMap<>();
  private final List<Pinned> pinned = new ArrayList<>();
  private int compared;

  /** A view and what it must show. */
  private record Pinned(View view, Map<String, BsonDocument> model, List<IndexSpec> indexes) {}

  @AfterEach
  void close() {
    engine.close();
  }

  /** More of them by {@code -Dpoints.walks=100}. */
  static LongStream seeds() {
    return LongStream.rangeClosed(1, Integer.getInteger("points.walks", 6));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aViewShowsItsPointWhateverHappensLater(long seed) {
    random = new Random(seed);
    isPartitioned = seed % 3 > 0;
    engine = ChronicleEngine.open(directory, EngineHarness.compacting(), new NoHooks());
    create();
    for (int step = 1; step <= 1_200; step++) {
      change();
      if (random.nextInt(15) == 0) {
        pin();
      }
      if (random.nextInt(40) == 0) {
        disturb();
      }
      if (random.nextInt(20) == 0 && !pinned.isEmpty()) {
        Pinned one = pinned.get(random.nextInt(pinned.size()));
        compare(one);
        if (random.nextInt(3) == 0) {
          one.view().close();
          pinned.remove(one);
        }
      }
      if (random.nextInt(60) == 0) {
        engine.parts().points().purge();
      }
    }
    pinned.forEach(this::compare);
    pinned.forEach(one -> one.view().close());
    engine.parts().points().purge();
    assertThat(engine.parts().points().heldBytes()).isZero();
    compare(new Pinned(View.NEWEST, model, indexes()));
    assertThat(engine.validate(store())).isEmpty();
    assertThat(compared).isGreaterThan(30);
  }

  private void create() {
    var creation =
        new CollectionInfo.Creation(
            new BsonDocument(),
            isPartitioned ? "p" : null,
            List.of(IndexSpec.idIndex()),
            isPartitioned ? 2 : 1,
            new BsonDocument());
    engine.create(NAMESPACE, creation);
    createIndex("{name: 'a_1', key: {a: 1}}");
    createIndex("{name: 'b_1_a_-1', key: {b: 1, a: -1}}");
  }

  private void createIndex(String spec) {
    engine.createIndexes(store(), List.of(IndexSpec.of(BsonDocument.parse(spec))));
  }

  private CollectionStore store() {
    return engine.find(NAMESPACE);
  }

  private List<IndexSpec> indexes() {
    return store().info().readyIndexes();
  }

  private void pin() {
    if (pinned.size() < 6) {
      pinned.add(new Pinned(engine.pin(), new HashMap<>(model), indexes()));
    }
  }

  private BsonDocument randomDocument() {
    var document = new BsonDocument("_id", new BsonInt32(random.nextInt(60)));
    if (random.nextInt(10) > 0) {
      document.append("p", new BsonString("key" + random.nextInt(KEYS)));
    }
    document.append("a", new BsonInt32(random.nextInt(8)));
    document.append("b", random.nextInt(3) == 0 ? numbers() : new BsonInt32(random.nextInt(6)));
    return document.append("x", new BsonString("x".repeat(random.nextInt(700))));
  }

  private BsonArray numbers() {
    var array = new BsonArray();
    for (int i = random.nextInt(4); i > 0; i--) {
      array.add(new BsonInt32(random.nextInt(6)));
    }
    return array;
  }

  private String key(BsonDocument document) {
    return (isPartitioned ? document.get("p") : "") + "/" + document.get("_id");
  }

  /** One batch; each document is touched once, or deleted and inserted anew. */
  private void change() {
    var fresh = new TreeMap<String, BsonDocument>();
    for (int i = random.nextInt(6); i >= 0; i--) {
      BsonDocument document = randomDocument();
      fresh.put(key(document), document);
    }
    long dice = random.nextLong();
    while (!commit(fresh, new Random(dice))) {
      Thread.onSpinWait(); // compaction moved a document after it was read
    }
  }

  private boolean commit(Map<String, BsonDocument> documents, Random dice) {
    var batch = new ArrayList<WriteOperation>();
    var after = new HashMap<>(model);
    documents.forEach(
        (key, fresh) -> {
          BsonDocument old = model.get(key);
          int choice = old == null ? 3 : dice.nextInt(4);
          if (choice == 0 || choice == 1) {
            batch.add(new WriteOperation.Delete(store(), find(View.NEWEST, old)));
            after.remove(key);
          }
          if (choice == 2) {
            StoredDocument before = find(View.NEWEST, old);
            batch.add(new WriteOperation.Replace(store(), before, RawDocument.of(fresh)));
            after.put(key, fresh);
          }
          if (choice == 1 || old == null) {
            batch.add(new WriteOperation.Insert(store(), RawDocument.of(fresh)));
            after.put(key, fresh);
          }
        });
    var result =
        Lane.await(
            engine.commit(new WriteBatch(batch, WriteBatch.OnFailure.APPLY_NONE), new WorkMeter()));
    boolean isMoved =
        result.outcomes().stream()
            .anyMatch(outcome -> outcome.status() == WriteOutcome.Status.CONFLICT);
    if (!isMoved) {
      assertThat(result.outcomes()).allMatch(WriteOutcome::isApplied);
      model.clear();
      model.putAll(after);
    }
    return !isMoved;
  }

  private void disturb() {
    switch (random.nextInt(6)) {
      case 0 -> engine.checkpoint();
      case 1 -> engine.compact();
      case 2 -> split();
      case 3 -> merge();
      case 4 -> createIndex("{name: 'x_%d', key: {b: -1}}".formatted(compared));
      default -> dropIndex();
    }
  }

  private void dropIndex() {
    List<IndexSpec> present = indexes();
    if (present.size() > 5) {
      String name = present.get(3 + random.nextInt(present.size() - 3)).name();
      engine.dropIndex(store(), name);
      pinned.replaceAll(
          one ->
              new Pinned(
                  one.view(),
                  one.model(),
                  one.indexes().stream().filter(index -> !index.name().equals(name)).toList()));
    }
  }

  private void split() {
    List<PartitionStore> partitions = store().partitions();
    if (!isPartitioned || partitions.size() > 5) {
      return;
    }
    PartitionStore largest =
        Collections.max(
            partitions,
            (one, other) ->
                Long.compare(one.statistics().documents(), other.statistics().documents()));
    String boundary = SplitPoint.of(((PhysicalPartition) largest).files(), largest.range());
    if (boundary != null) {
      engine.split(store(), largest.id(), boundary);
    }
  }

  private void merge() {
    List<PartitionStore> partitions = store().partitions();
    if (isPartitioned && partitions.size() > 2) {
      int at = random.nextInt(partitions.size() - 1);
      engine.merge(store(), partitions.get(at).id(), partitions.get(at + 1).id());
    }
  }

  private StoredDocument find(View view, BsonDocument document) {
    RawValue key =
        isPartitioned && document.containsKey("p") ? RawValue.of(document.get("p")) : null;
    byte[] primaryKey = store().primaryKey(key, RawValue.of(document.get("_id")));
    return Lane.await(view.partitionOf(store(), key).find(primaryKey, new WorkMeter()));
  }

  private void compare(Pinned one) {
    compared++;
    compareKeys(one);
    compareScan(one, false);
    compareScan(one, true);
    for (IndexSpec index : one.indexes()) {
      compareIndex(one, index, IndexRange.all(random.nextBoolean()));
      compareIndex(one, index, randomRange(index));
    }
  }

  private void compareKeys(Pinned one) {
    for (int i = 0; i < 60; i++) {
      BsonDocument document = randomDocument();
      StoredDocument found = find(one.view(), document);
      assertThat(found == null ? null : found.document().toBsonDocument())
          .isEqualTo(one.model().get(key(document)));
    }
  }

  private void compareScan(Pinned one, boolean reverse) {
    var found = new HashMap<String, BsonDocument>();
    for (PartitionStore partition : one.view().partitions(store())) {
      var cursor = partition.scan(reverse);
      var meter = new WorkMeter();
      long last = reverse ? Long.MAX_VALUE : 0;
      for (var next = cursor.awaitNext(meter); next != null; next = cursor.awaitNext(meter)) {
        assertThat(next.recordId() > last).isNotEqualTo(reverse);
        last = next.recordId();
        BsonDocument document = next.document().toBsonDocument();
        assertThat(found.put(key(document), document)).isNull();
      }
    }
    assertThat(found).isEqualTo(one.model());
  }

  private IndexRange randomRange(IndexSpec index) {
    byte[] low = index.name().equals("_id_") ? null : encoded(index, random.nextInt(6));
    return new IndexRange(low, random.nextBoolean(), null, true, random.nextBoolean());
  }

  private static byte[] encoded(IndexSpec index, int value) {
    var encoder = new KeyEncoder();
    boolean isDescending =
        index.keyPattern().get(index.keyPattern().getFirstKey()).asNumber().intValue() < 0;
    encoder.append(new BsonInt32(value), isDescending);
    return encoder.toByteArray();
  }

  /** The entries that the documents of the model have, partition by partition. */
  private void compareIndex(Pinned one, IndexSpec index, IndexRange range) {
    var found = new ArrayList<String>();
    for (PartitionStore partition : one.view().partitions(store())) {
      var cursor = partition.scan(index, range);
      var meter = new WorkMeter();
      byte[] last = null;
      while (cursor.awaitNext(meter)) {
        byte[] key = cursor.key();
        if (last != null) {
          int order = Arrays.compareUnsigned(last, key);
          assertThat(range.reverse() ? order >= 0 : order <= 0).isTrue();
        }
        last = key;
        BsonDocument document =
            Lane.await(partition.read(cursor.recordId(), meter)).document().toBsonDocument();
        found.add(Arrays.toString(key) + key(document) + document);
      }
    }
    var expected = new ArrayList<String>();
    for (BsonDocument document : one.model().values()) {
      for (byte[] key : keys(index, document)) {
        if (isInside(range, key)) {
          expected.add(Arrays.toString(key) + key(document) + document);
        }
      }
    }
    Collections.sort(found);
    Collections.sort(expected);
    assertThat(found).as("%s %s", index, range).isEqualTo(expected);
  }

  private static boolean isInside(IndexRange range, byte[] key) {
    if (range.low() == null) {
      return true;
    }
    int order = Arrays.compareUnsigned(key, range.low());
    return range.lowInclusive() ? order >= 0 : order > 0;
  }

  /** Made anew from the definition: one key for each element of an array, each once. */
  private static List<byte[]> keys(IndexSpec index, BsonDocument document) {
    var keys = new TreeSet<byte[]>(Arrays::compareUnsigned);
    BsonValue many = document.get("b");
    boolean isMany = index.keyPattern().containsKey("b") && many.isArray();
    List<BsonValue> values = isMany ? many.asArray().getValues() : List.of(new BsonInt32(0));
    if (isMany && values.isEmpty()) {
      values = List.of(new org.bson.BsonUndefined());
    }
    for (BsonValue value : values) {
      var encoder = new KeyEncoder();
      index
          .keyPattern()
          .forEach(
              (field, direction) -> {
                BsonValue own = isMany && field.equals("b") ? value : document.get(field);
                encoder.append(own, direction.asNumber().intValue() < 0);
              });
      keys.add(encoder.toByteArray());
    }
    return List.copyOf(keys);
  }
}
