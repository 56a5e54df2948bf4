package dev.orrery.storage.power;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.engine.ChronicleEngine;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * Compares every structure of a collection with the documents that a scan finds, and those with
 * what was acknowledged, through nothing but what clients of the engine can see.
 */
final class StoreComparison {
  private static final int FRESH_ID = 90_000_000;
  private static final int TRIALS_MAX = 60;

  private final ChronicleEngine engine;
  private final CollectionStore store;
  private final KillModel.Expected expected;
  private final KillModel model = new KillModel(0);

  StoreComparison(ChronicleEngine engine, CollectionStore store, KillModel.Expected expected) {
    this.engine = engine;
    this.store = store;
    this.expected = expected;
  }

  void run() {
    Map<Integer, BsonDocument> found = scan();
    if (!found.equals(expected.withPending())) {
      requireEqual(found, expected.documents());
    }
    checkPrimaryKeys(found);
    for (IndexEntry index : store.info().indexes()) {
      checkOrder(index.spec(), found);
    }
    checkSizes(found);
    if (store.info().index("u_1") != null) {
      tryDuplicates(found);
      tryFreeKeys(found);
      requireEqual(scan(), found);
    }
    engine.verify();
  }

  /** Shows only what differs. */
  private static void requireEqual(
      Map<Integer, BsonDocument> found, Map<Integer, BsonDocument> wanted) {
    var extra = new TreeMap<>(found);
    extra.entrySet().removeAll(wanted.entrySet());
    var lacking = new TreeMap<>(wanted);
    lacking.entrySet().removeAll(found.entrySet());
    assertThat(extra).isEqualTo(lacking);
  }

  private Map<Integer, BsonDocument> scan() {
    var all = new TreeMap<Integer, BsonDocument>();
    for (PartitionStore partition : store.partitions()) {
      var meter = new WorkMeter();
      var cursor = partition.scan(false);
      for (var one = cursor.awaitNext(meter); one != null; one = cursor.awaitNext(meter)) {
        var document = one.document().toBsonDocument();
        assertThat(all.put(document.getInt32("_id").getValue(), document)).isNull();
      }
    }
    return all;
  }

  private void checkPrimaryKeys(Map<Integer, BsonDocument> found) {
    found.values().forEach(one -> assertThat(stored(one)).as("by key").isEqualTo(one));
    KillModel.Change pending = expected.pending();
    if (pending != null && pending.before() != null) {
      assertThat(stored(pending.before())).isEqualTo(found.get(pending.id()));
    }
  }

  private BsonDocument stored(BsonDocument document) {
    StoredDocument one = find(document);
    return one == null ? null : one.document().toBsonDocument();
  }

  private StoredDocument find(BsonDocument document) {
    RawValue partitionKey = RawValue.of(document.get("p"));
    byte[] key = store.primaryKey(partitionKey, RawValue.of(document.get("_id")));
    return Lane.await(store.partitionOf(partitionKey).find(key, new WorkMeter()));
  }

  private void checkOrder(IndexSpec index, Map<Integer, BsonDocument> found) {
    String field = index.keyPattern().getFirstKey();
    int direction = index.keyPattern().getInt32(field).getValue();
    int entries = 0;
    var seen = new ArrayList<Integer>();
    for (PartitionStore partition : store.partitions()) {
      var meter = new WorkMeter();
      var cursor = partition.scan(index, IndexRange.all(false));
      BsonValue last = null;
      for (; cursor.awaitNext(meter); entries++) {
        StoredDocument one = Lane.await(partition.read(cursor.recordId(), meter));
        assertThat(one).as("behind an entry of " + index.name()).isNotNull();
        BsonValue value = one.document().toBsonDocument().get(field);
        assertThat(last == null || direction * compare(last, value) <= 0).isTrue();
        last = value;
        seen.add(one.document().field("_id").toBsonValue().asInt32().getValue());
      }
    }
    assertThat(entries).as("entries of " + index.name()).isEqualTo(found.size());
    seen.sort(null);
    assertThat(seen).as(index.name()).isEqualTo(List.copyOf(found.keySet())); // which is in order
  }

  private void checkSizes(Map<Integer, BsonDocument> found) {
    var sizes = new HashMap<BsonValue, PartitionStatistics>();
    found
        .values()
        .forEach(
            one ->
                sizes.merge(
                    one.get("p"),
                    new PartitionStatistics(1, RawDocument.of(one).length(), 1),
                    (left, right) ->
                        new PartitionStatistics(
                            left.documents() + right.documents(),
                            left.bytes() + right.bytes(),
                            1)));
    sizes.forEach(
        (key, size) ->
            assertThat(store.statisticsOf(RawValue.of(key))).as("size of " + key).isEqualTo(size));
    PartitionStatistics all =
        store.partitions().stream()
            .map(PartitionStore::statistics)
            .reduce(PartitionStatistics.NONE, PartitionStatistics::plus);
    assertThat(all)
        .isEqualTo(
            sizes.values().stream().reduce(PartitionStatistics.NONE, PartitionStatistics::plus));
  }

  /** What would be a second holder of a key is refused. */
  private void tryDuplicates(Map<Integer, BsonDocument> found) {
    int step = Math.max(1, found.size() / TRIALS_MAX);
    var all = new ArrayList<>(found.values());
    for (int i = all.size() - 1; i >= 0; i -= i > all.size() - TRIALS_MAX ? 1 : step) {
      int unique = all.get(i).getInt32("u").getValue();
      BsonDocument second = model.document(FRESH_ID, unique);
      assertThat(commit(new WriteOperation.Insert(store, RawDocument.of(second))))
          .as("another document with u of " + all.get(i).get("_id"))
          .isEqualTo(WriteOutcome.Status.DUPLICATE);
      assertThat(commit(new WriteOperation.Insert(store, RawDocument.of(all.get(i)))))
          .as("again " + all.get(i).get("_id"))
          .isEqualTo(WriteOutcome.Status.DUPLICATE);
    }
  }

  /** A key that nobody has, whether it was ever taken or not, can be had. */
  private void tryFreeKeys(Map<Integer, BsonDocument> found) {
    var taken = new ArrayList<Integer>();
    found.values().forEach(one -> taken.add(one.getInt32("u").getValue()));
    List<Integer> free = new ArrayList<>(expected.freed());
    KillModel.Change pending = expected.pending();
    for (BsonDocument one : pendingVersions(pending)) {
      free.add(one.getInt32("u").getValue());
    }
    free.removeAll(taken);
    free.add(80_000_000);
    for (int unique : free.subList(Math.max(0, free.size() - TRIALS_MAX), free.size())) {
      BsonDocument one = model.document(FRESH_ID + 1, unique);
      assertThat(commit(new WriteOperation.Insert(store, RawDocument.of(one))))
          .as("the free key " + unique)
          .isEqualTo(WriteOutcome.Status.APPLIED);
      assertThat(commit(new WriteOperation.Delete(store, find(one))))
          .isEqualTo(WriteOutcome.Status.APPLIED);
    }
  }

  private static List<BsonDocument> pendingVersions(KillModel.Change pending) {
    var versions = new ArrayList<BsonDocument>();
    if (pending != null && pending.before() != null) {
      versions.add(pending.before());
    }
    if (pending != null && pending.after() != null) {
      versions.add(pending.after());
    }
    return versions;
  }

  private WriteOutcome.Status commit(WriteOperation operation) {
    var result = Lane.await(engine.commit(WriteBatch.of(operation), new WorkMeter()));
    return result.outcomes().get(0).status();
  }

  private static int compare(BsonValue left, BsonValue right) {
    return left.isString()
        ? left.asString().compareTo(right.asString())
        : left.asInt32().compareTo(right.asInt32());
  }
}
