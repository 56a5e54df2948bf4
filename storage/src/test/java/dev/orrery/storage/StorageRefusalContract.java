package dev.orrery.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.lane.Lane;
import dev.orrery.lane.OnLane;
import dev.orrery.lane.WouldWaitException;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.NestingException;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;

/** What any storage engine must refuse, whoever asks. */
public abstract class StorageRefusalContract extends StorageFixture {
  private static final CollectionInfo.Creation SHARDED =
      new CollectionInfo.Creation(
          new BsonDocument(), "p", List.of(IndexSpec.idIndex()), 4, new BsonDocument());

  /** Every call that would change a collection, on one that has two partitions and an index. */
  private Map<String, Consumer<CollectionStore>> changes() {
    var index = IndexSpec.of(BsonDocument.parse("{v: 2, key: {v: 1}, name: 'v_1'}"));
    var hidden = IndexSpec.of(BsonDocument.parse("{v: 2, key: {v: 1}, name: 'v_1', hidden: true}"));
    var other = IndexSpec.of(BsonDocument.parse("{v: 2, key: {w: 1}, name: 'w_1'}"));
    var changes = new TreeMap<String, Consumer<CollectionStore>>();
    changes.put(
        "update",
        one -> engine.update(one, info -> info.withOptions(new BsonDocument("x", one()))));
    changes.put("createIndexes", one -> engine.createIndexes(one, List.of(other)));
    changes.put("replaceIndex", one -> engine.replaceIndex(one, index));
    changes.put("dropIndex", one -> engine.dropIndex(one, "v_1"));
    changes.put("dropIndex of another", one -> engine.dropIndex(one, "w_1"));
    changes.put("alterIndex", one -> engine.alterIndex(one, hidden));
    changes.put("split", one -> engine.split(one, 0, "1" + "0".repeat(31)));
    changes.put("merge", one -> engine.merge(one, 0, 1));
    return changes;
  }

  private static BsonInt32 one() {
    return new BsonInt32(1);
  }

  /** Who is told of an index finds it, or is no longer told of it. */
  @Test
  void anIndexThatIsListedIsInAllPartitions() throws Exception {
    CollectionStore collection = create("p", 16);
    var index = IndexSpec.of(BsonDocument.parse("{v: 2, key: {v: 1}, name: 'v_1'}"));
    var isDone = new AtomicBoolean();
    var problems = new ConcurrentLinkedQueue<String>();
    var reader =
        new Thread(
            () -> {
              while (!isDone.get()) {
                collection.info().indexes().forEach(entry -> read(collection, entry, problems));
              }
            });
    reader.start();
    for (int i = 0; i < 40; i++) {
      engine.createIndexes(collection, List.of(index));
      assertThat(engine.dropIndex(collection, "v_1")).isTrue();
    }
    isDone.set(true);
    reader.join();
    assertThat(problems).isEmpty();
  }

  private static void read(CollectionStore collection, IndexEntry entry, Queue<String> problems) {
    try {
      collection.partitions().forEach(partition -> partition.statistics(entry.spec()));
    } catch (StorageException e) {
      if (collection.info().indexes().contains(entry)) {
        problems.add(e.getMessage());
      }
    }
  }

  @Test
  void aCursorDoesNotGoOnInAnotherIndexOfTheSameName() {
    CollectionStore collection = create("p", 1);
    var index = IndexSpec.of(BsonDocument.parse("{v: 2, key: {v: 1}, name: 'v_1'}"));
    engine.createIndexes(collection, List.of(index));
    for (int i = 0; i < 100; i++) {
      insert("{_id: %d, p: 'k', v: %d}".formatted(i, i));
    }
    IndexCursor cursor = collection.partitions().get(0).scan(index, IndexRange.all(false));
    var meter = new WorkMeter();
    assertThat(cursor.awaitNext(meter)).isTrue();
    engine.dropIndex(collection, "v_1");
    engine.createIndexes(collection, List.of(index));

    assertThatThrownBy(() -> drain(cursor, meter))
        .hasMessage("index 'v_1' dropped") // clients are told so
        .isInstanceOfSatisfying(
            StorageException.class,
            e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.INDEX_DROPPED));
  }

  private static void drain(IndexCursor cursor, WorkMeter meter) {
    while (cursor.awaitNext(meter)) {
      assertThat(cursor.key()).isNotEmpty();
    }
  }

  /** What the log has, no index may refuse: a split's children may have to make room for it. */
  @Test
  void anEventLoopWritesNothingToAPartitionThatIsBeingSplit() {
    CollectionStore collection = create("p", 1);
    for (int i = 0; i < 200; i++) {
      insert("{_id: %d, p: 'k%d'}".formatted(i, i));
    }
    var thrown = new ConcurrentLinkedQueue<RuntimeException>();
    Runnable onLoop =
        () -> {
          try {
            insert("{_id: 1000, p: 'x'}");
          } catch (RuntimeException e) {
            thrown.add(e);
          }
        };
    engine.split(
        collection,
        collection.partitions().get(0).id(),
        "1" + "0".repeat(31),
        () -> {
          if (thrown.isEmpty()) {
            join(Lane.EVENT_LOOP.thread("loop", onLoop));
          }
        });
    assertThat(thrown).singleElement().isInstanceOf(WouldWaitException.class);
    assertThat(scan(collection)).hasSize(200);
    assertThat(insert("{_id: 1000, p: 'x'}").isApplied()).isTrue();
  }

  private static void join(Thread thread) {
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void noStructureIsChangedByAThreadThatMustNotWait() {
    CollectionStore collection = create("p", 2);
    insert("{_id: 1, p: 'a', v: 1}");
    long time = engine.receipt().time();
    var others = new Namespace("db", "others");
    var calls = new TreeMap<>(changes());
    calls.put("announce", any -> engine.announce(new BsonDocument("x", one())));
    calls.put("create", any -> engine.create(others, SHARDED));
    calls.put("drop", engine::drop);
    calls.put("dropEmpty", engine::dropEmpty);
    calls.put("putSetting", any -> engine.putSetting("kind", BsonDocument.parse("{_id: 'a'}")));
    calls.put("removeSetting", any -> engine.removeSetting("kind", "a"));
    calls.put("rename", one -> engine.rename(one, one.info().namespace(), others, false));
    calls.put("repair", one -> engine.repair(one, () -> {}));
    calls.put("replaceEmpty", one -> engine.replaceEmpty(one, SHARDED));
    calls.put("settings", any -> engine.settings("kind"));
    calls.put("validate", engine::validate);
    for (var call : calls.entrySet()) {
      assertThatThrownBy(() -> on(Lane.EVENT_LOOP, () -> call.getValue().accept(collection)))
          .as(call.getKey())
          .isInstanceOf(WouldWaitException.class);
      assertThatThrownBy(() -> on(Lane.COMMITTER, () -> call.getValue().accept(collection)))
          .as(call.getKey())
          .isInstanceOf(IllegalStateException.class);
    }
    assertThat(engine.receipt().time()).isEqualTo(time);
    assertThat(engine.drop(collection)).as("no lock was left behind").isTrue();
  }

  /** Whoever shows a description later can rely on it. */
  @Test
  void aDescriptionThatNestsTooDeepIsRefused() {
    var deep = new BsonDocument();
    for (int i = 0; i < 250; i++) {
      deep = new BsonDocument("d", deep);
    }
    BsonDocument options = deep;
    var creation = new CollectionInfo.Creation(options, null, List.of(), 1, new BsonDocument());
    assertThatThrownBy(() -> engine.create(new Namespace("db", "deep"), creation))
        .isInstanceOf(NestingException.class);
    CollectionStore collection = create(null, 1);
    assertThatThrownBy(() -> engine.update(collection, info -> info.withOptions(options)))
        .isInstanceOf(NestingException.class);
    assertThat(engine.collections()).containsExactly(collection);
    assertThat(collection.info().options()).isEmpty();
    reopen();
    assertThat(engine.collections()).hasSize(1);
  }

  private static void on(Lane lane, Runnable work) throws Exception {
    OnLane.call(
        lane,
        () -> {
          work.run();
          return null;
        });
  }

  @Test
  void aDroppedCollectionRefusesEveryChangeAndStaysGone() {
    for (var change : changes().entrySet()) {
      CollectionStore dropped = create("p", 2);
      var index = IndexSpec.of(BsonDocument.parse("{v: 2, key: {v: 1}, name: 'v_1'}"));
      engine.createIndexes(dropped, List.of(index));
      insert("{_id: 1, p: 'a', v: 1}");
      assertThat(engine.drop(dropped)).isTrue();
      long time = engine.receipt().time();

      assertThatThrownBy(() -> change.getValue().accept(dropped))
          .as(change.getKey())
          .isInstanceOfSatisfying(
              StorageException.class,
              e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.COLLECTION_DROPPED));
      assertThat(engine.receipt().time()).as(change.getKey()).isEqualTo(time);
      assertThat(engine.collections()).isEmpty();
      reopen();
      assertThat(engine.collections()).as(change.getKey()).isEmpty();
    }
  }

  @Test
  void aDroppedCollectionIsNoMoreForThoseWhoAsk() {
    CollectionStore dropped = create(null, 1);
    insert("{_id: 1}");
    StoredDocument stored = find(1);
    engine.drop(dropped);
    long time = engine.receipt().time();

    assertThat(engine.drop(dropped)).isFalse();
    assertThat(
            engine.rename(dropped, dropped.info().namespace(), new Namespace("db", "others"), true))
        .isFalse();
    assertThat(engine.replaceEmpty(dropped, SHARDED)).isNull();
    assertThat(engine.validate(dropped)).isEmpty();
    var replace = new WriteOperation.Replace(dropped, stored, raw("{_id: 1, a: 1}"));
    assertThat(commit(replace)).isEqualTo(WriteOutcome.CONFLICT);
    assertThat(commit(new WriteOperation.Delete(dropped, stored))).isEqualTo(WriteOutcome.CONFLICT);
    var insert = new WriteOperation.Insert(dropped, raw("{_id: 2}"));
    assertThat(commit(insert)).isEqualTo(WriteOutcome.CONFLICT);
    assertThat(scan(dropped)).isEmpty();
    assertThat(engine.receipt().time()).isEqualTo(time);
    reopen();
    assertThat(engine.collections()).isEmpty();
  }

  @Test
  void aReplaceThatLeavesItsPlaceIsRefused() {
    create("k.id", 4);
    insert("{_id: 1, k: {id: 'a'}, v: 1}");
    StoredDocument stored = find("a", 1);
    for (String after :
        List.of(
            "{_id: 1, k: {id: 'b'}, v: 1}",
            "{_id: 1, v: 1}",
            "{_id: 2, k: {id: 'a'}, v: 1}",
            "{_id: 1, k: {id: null}}")) {
      assertThatThrownBy(() -> commit(new WriteOperation.Replace(things(), stored, raw(after))))
          .as(after)
          .isInstanceOfSatisfying(
              StorageException.class,
              e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.KEY_CHANGED));
    }
    var same = new WriteOperation.Replace(things(), stored, raw("{k: {x: 1, id: 'a'}, _id: 1.0}"));
    assertThat(commit(same).isApplied()).isTrue();
    assertThat(find("a", 1).document()).isEqualTo(raw("{k: {x: 1, id: 'a'}, _id: 1.0}"));
    assertThat(engine.validate(things())).isEmpty();
  }

  @Test
  void anIdIsNotReplacedEither() {
    create(null, 1);
    insert("{_id: 1}");
    var replace = new WriteOperation.Replace(things(), find(1), raw("{_id: 2}"));
    assertThatThrownBy(() -> commit(replace))
        .isInstanceOfSatisfying(
            StorageException.class,
            e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.KEY_CHANGED));
    assertThat(engine.validate(things())).isEmpty();
  }

  @Test
  void anArrayOnTheWayToThePartitionKeyIsRefused() {
    create("a.0", 4);
    assertThat(insert("{_id: 1, a: {'0': 'x'}}").isApplied()).isTrue();
    StoredDocument stored = find("x", 1);
    for (String bad :
        List.of("{_id: 1, a: ['x']}", "{_id: 1, a: {'0': ['x']}}", "{_id: 1, a: []}")) {
      for (WriteOperation write :
          List.of(
              new WriteOperation.Insert(things(), raw(bad)),
              new WriteOperation.Replace(things(), stored, raw(bad)))) {
        assertThatThrownBy(() -> commit(write))
            .as(bad)
            .isInstanceOfSatisfying(
                StorageException.class,
                e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.KEY_HAS_ARRAY));
      }
    }
    assertThat(insert("{_id: 2, a: {'0': {b: [1]}}}").isApplied()).isTrue();
    assertThat(scan(things())).hasSize(2);
    assertThat(engine.validate(things())).isEmpty();
  }
}
