package dev.orrery.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.lane.Lane;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;

/** What any storage engine shows to those who read at a point. */
public abstract class ReadPointContract extends StorageFixture {
  private static final String INDEX = "{v: 2, key: {v: 1}, name: 'v_1'}";
  private static final String[] KEYS = {"a", "b", "c", "d", "e", "f"};

  /** Documents by partition key and id, with their value. */
  private static final class Model extends TreeMap<String, Integer> {
    private static final long serialVersionUID = 1L;
  }

  private record Pinned(View view, Model model) {}

  private void createWithIndex() {
    create("p", 2);
    engine.createIndexes(things(), List.of(IndexSpec.of(BsonDocument.parse(INDEX))));
  }

  private static RawDocument document(String key, int id, int value) {
    return raw("{_id: %d, p: '%s', v: %d}".formatted(id, key, value));
  }

  private StoredDocument find(View view, String key, int id) {
    RawValue partitionKey = RawValue.of(new BsonString(key));
    byte[] primaryKey = things().primaryKey(partitionKey, RawValue.of(new BsonInt32(id)));
    return Lane.await(view.partitionOf(things(), partitionKey).find(primaryKey, new WorkMeter()));
  }

  /** Commits until it is done: an engine may ask to read again. */
  private void put(String key, int id, Integer value) {
    WriteOutcome outcome;
    do {
      StoredDocument before = find(View.NEWEST, key, id);
      if (value == null && before == null) {
        return;
      }
      WriteOperation operation =
          before == null
              ? new WriteOperation.Insert(things(), document(key, id, value))
              : value == null
                  ? new WriteOperation.Delete(things(), before)
                  : new WriteOperation.Replace(things(), before, document(key, id, value));
      outcome = commit(operation);
    } while (outcome.status() == WriteOutcome.Status.CONFLICT);
    assertThat(outcome.isApplied()).isTrue();
  }

  @Test
  void aViewSeesWhatWasCommittedBeforeItAndNothingElse() {
    createWithIndex();
    put("a", 1, 10);
    put("b", 2, 20);
    try (View view = engine.pin()) {
      put("a", 1, 11);
      put("b", 2, null);
      put("c", 3, 30);
      assertThat(find(view, "a", 1).document()).isEqualTo(document("a", 1, 10));
      assertThat(find(view, "b", 2).document()).isEqualTo(document("b", 2, 20));
      assertThat(find(view, "c", 3)).isNull();
      assertThat(scanned(view)).isEqualTo(new TreeMap<>(Map.of("a1", 10, "b2", 20)));
      assertThat(indexed(view, false)).containsExactly(10, 20);
      assertThat(indexed(view, true)).containsExactly(20, 10);
    }
    assertThat(scanned(View.NEWEST)).isEqualTo(new TreeMap<>(Map.of("a1", 11, "c3", 30)));
  }

  @Test
  void aViewKnowsWhichNamesMeanSomethingElseByNow() {
    createWithIndex();
    Namespace name = things().info().namespace();
    var other = new Namespace(name.database(), "other");
    var fresh = new Namespace(name.database(), "fresh");
    var like =
        new CollectionInfo.Creation(
            new BsonDocument(), null, List.of(IndexSpec.idIndex()), 1, new BsonDocument());
    try (View view = engine.pin()) {
      assertThat(engine.create(fresh, like)).isNotNull();
      assertThat(view.hasSame(name)).isTrue();
      assertThat(view.hasSame(other)).isTrue();
      assertThat(view.hasSame(fresh)).isTrue();
      assertThat(engine.rename(things(), name, other, false)).isTrue();
      assertThat(view.hasSame(name)).isFalse();
      assertThat(view.hasSame(other)).isFalse();
      try (View later = engine.pin()) {
        assertThat(later.hasSame(name)).isTrue();
        assertThat(later.hasSame(other)).isTrue();
        assertThat(engine.drop(engine.find(other))).isTrue();
        assertThat(later.hasSame(other)).isFalse();
        assertThat(engine.create(other, like)).isNotNull();
        assertThat(later.hasSame(other)).isFalse();
        assertThat(later.hasSame(name)).isTrue();
      }
    }
  }

  @Test
  void aViewGoesOnOverSplitsMergesAndIndexBuilds() {
    createWithIndex();
    for (int i = 0; i < 40; i++) {
      put(KEYS[i % KEYS.length], i, i);
    }
    Map<String, Integer> before = scanned(View.NEWEST);
    try (View view = engine.pin()) {
      int first = things().partitions().get(0).id();
      engine.split(things(), first, "10000000000000000000000000000000");
      for (int i = 0; i < 40; i += 2) {
        put(KEYS[i % KEYS.length], i, i % 4 == 0 ? null : i + 100);
      }
      var partitions = things().partitions();
      engine.merge(things(), partitions.get(0).id(), partitions.get(1).id());
      engine.createIndexes(
          things(), List.of(IndexSpec.of(BsonDocument.parse("{v: 2, key: {p: 1}, name: 'p_1'}"))));
      assertThat(scanned(view)).isEqualTo(before);
      assertThat(indexed(view, false)).isSorted().hasSize(40);
      IndexSpec young = things().info().index("p_1").spec();
      assertThatThrownBy(
              () ->
                  view.partitions(things())
                      .get(0)
                      .scan(young, IndexRange.all(false))
                      .awaitNext(new WorkMeter()))
          .isInstanceOfSatisfying(
              StorageException.class,
              e ->
                  assertThat(e.reason())
                      .isIn(
                          StorageException.Reason.POINT_LOST,
                          StorageException.Reason.INDEX_DROPPED));
    }
  }

  @Test
  void aDroppedCollectionCannotBeReadAtAnyPoint() {
    CollectionStore dropped = create(null, 1);
    insert("{_id: 1}");
    try (View view = engine.pin()) {
      engine.drop(dropped);
      assertThatThrownBy(() -> view.partitions(dropped))
          .isInstanceOfSatisfying(
              StorageException.class,
              e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.COLLECTION_DROPPED));
    }
  }

  @Test
  void aBatchIsSeenAsAWholeOverItsPartitions() throws InterruptedException {
    create("p", 4);
    put("a", 1, 50);
    put("b", 2, 50);
    var writer =
        new Thread(
            () -> {
              var random = new Random(3);
              for (int i = 0; i < 300; i++) {
                move(random.nextInt(20) - 10);
              }
            });
    writer.start();
    while (writer.isAlive()) {
      try (View view = engine.pin()) {
        assertThat(value(find(view, "a", 1)) + value(find(view, "b", 2))).isEqualTo(100);
      }
    }
    writer.join();
  }

  private void move(int amount) {
    boolean isDone = false;
    while (!isDone) {
      StoredDocument from = find(View.NEWEST, "a", 1);
      StoredDocument to = find(View.NEWEST, "b", 2);
      var batch =
          new WriteBatch(
              List.of(
                  new WriteOperation.Replace(
                      things(), from, document("a", 1, value(from) - amount)),
                  new WriteOperation.Replace(things(), to, document("b", 2, value(to) + amount))),
              WriteBatch.OnFailure.APPLY_NONE);
      isDone =
          Lane.await(engine.commit(batch, new WorkMeter())).outcomes().stream()
              .allMatch(WriteOutcome::isApplied);
    }
  }

  private static int value(StoredDocument document) {
    return document.document().field("v").asInt32();
  }

  @Test
  void randomViewsAgreeWithTheirModels() {
    for (long seed = 1; seed <= 6; seed++) {
      walk(new Random(seed));
      engine.drop(things());
    }
  }

  private void walk(Random random) {
    createWithIndex();
    var present = new Model();
    var pinned = new ArrayList<Pinned>();
    for (int step = 0; step < 250; step++) {
      String key = KEYS[random.nextInt(KEYS.length)];
      int id = random.nextInt(8);
      if (random.nextInt(12) == 0) {
        var copy = new Model();
        copy.putAll(present);
        pinned.add(new Pinned(engine.pin(), copy));
      } else if (random.nextInt(15) == 0 && !pinned.isEmpty()) {
        pinned.remove(random.nextInt(pinned.size())).view.close();
      } else {
        Integer value = random.nextInt(3) == 0 ? null : random.nextInt(50);
        put(key, id, value);
        present.compute(key + id, (name, old) -> value);
      }
      if (random.nextInt(10) == 0 && !pinned.isEmpty()) {
        compare(pinned.get(random.nextInt(pinned.size())), random);
      }
    }
    pinned.forEach(one -> compare(one, random));
    pinned.forEach(one -> one.view.close());
    compare(new Pinned(View.NEWEST, present), random);
  }

  private void compare(Pinned pinned, Random random) {
    assertThat(scanned(pinned.view)).isEqualTo(pinned.model);
    assertThat(indexed(pinned.view, random.nextBoolean()))
        .containsExactlyInAnyOrderElementsOf(pinned.model.values());
    String key = KEYS[random.nextInt(KEYS.length)];
    int id = random.nextInt(8);
    StoredDocument found = find(pinned.view, key, id);
    assertThat(found == null ? null : value(found)).isEqualTo(pinned.model.get(key + id));
  }

  private Map<String, Integer> scanned(View view) {
    var found = new TreeMap<String, Integer>();
    for (PartitionStore partition : view.partitions(things())) {
      var cursor = partition.scan(false);
      var meter = new WorkMeter();
      for (var one = cursor.awaitNext(meter); one != null; one = cursor.awaitNext(meter)) {
        BsonDocument document = one.document().toBsonDocument();
        String name = document.getString("p").getValue() + document.getInt32("_id").getValue();
        assertThat(found.put(name, document.getInt32("v").getValue())).isNull();
      }
    }
    return found;
  }

  /** The values of all partitions; each gives its own in the order of the index. */
  private List<Integer> indexed(View view, boolean isReverse) {
    IndexSpec index = things().info().index("v_1").spec();
    Comparator<Integer> order = isReverse ? Comparator.reverseOrder() : Comparator.naturalOrder();
    var all = new ArrayList<Integer>();
    for (PartitionStore partition : view.partitions(things())) {
      var cursor = partition.scan(index, IndexRange.all(isReverse));
      var meter = new WorkMeter();
      var values = new ArrayList<Integer>();
      while (cursor.awaitNext(meter)) {
        values.add(value(Lane.await(partition.read(cursor.recordId(), meter))));
      }
      assertThat(values).isSortedAccordingTo(order);
      all.addAll(values);
    }
    all.sort(order);
    return all;
  }
}
