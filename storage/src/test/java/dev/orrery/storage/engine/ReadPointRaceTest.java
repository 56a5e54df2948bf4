package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StorageException;
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
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readers beside writers: a commit is seen as a whole or not at all. */
final class ReadPointRaceTest {
  private static final int ACCOUNTS = 24;
  private static final int MONEY = 100;
  private static final int ROUNDS = Integer.getInteger("points.rounds", 3_000);

  @TempDir Path directory;
  private ChronicleEngine engine;
  private CollectionStore store;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicBoolean isOver = new AtomicBoolean();

  @BeforeEach
  void open() {
    engine = ChronicleEngine.open(directory, EngineHarness.compacting(), new NoHooks());
    var creation =
        new CollectionInfo.Creation(
            new BsonDocument(), "p", List.of(IndexSpec.idIndex()), 4, new BsonDocument());
    store = engine.create(EngineHarness.NAMESPACE, creation);
    engine.createIndexes(
        store, List.of(IndexSpec.of(BsonDocument.parse("{name: 'v_1', key: {v: 1}}"))));
  }

  @AfterEach
  void close() {
    threads.shutdownNow();
    engine.close();
  }

  private static BsonDocument account(int number, int money) {
    return new BsonDocument("_id", new BsonInt32(number))
        .append("p", new BsonString("p" + number))
        .append("v", new BsonInt32(money))
        .append("x", new BsonString("x".repeat(200)));
  }

  private StoredDocument find(View view, int number) {
    RawValue key = RawValue.of(new BsonString("p" + number));
    byte[] primaryKey = store.primaryKey(key, RawValue.of(new BsonInt32(number)));
    return Lane.await(view.partitionOf(store, key).find(primaryKey, new WorkMeter()));
  }

  private static int money(StoredDocument account) {
    return account.document().field("v").asInt32();
  }

  private boolean commit(List<WriteOperation> operations) {
    var batch = new WriteBatch(operations, WriteBatch.OnFailure.APPLY_NONE);
    return Lane.await(engine.commit(batch, new WorkMeter())).outcomes().stream()
        .allMatch(WriteOutcome::isApplied);
  }

  private void openAccounts() {
    var inserts = new ArrayList<WriteOperation>();
    for (int i = 0; i < ACCOUNTS; i++) {
      inserts.add(new WriteOperation.Insert(store, RawDocument.of(account(i, MONEY))));
    }
    assertThat(commit(inserts)).isTrue();
  }

  /** Moves money, by a replace or by a delete and an insert, if nobody was quicker. */
  private void transfer(Random random) {
    int from = random.nextInt(ACCOUNTS);
    int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
    StoredDocument one = find(View.NEWEST, from);
    StoredDocument other = find(View.NEWEST, to);
    if (one == null || other == null) {
      return;
    }
    int amount = random.nextInt(20);
    var operations = new ArrayList<WriteOperation>();
    var taken = RawDocument.of(account(from, money(one) - amount));
    var given = RawDocument.of(account(to, money(other) + amount));
    if (random.nextBoolean()) {
      operations.add(new WriteOperation.Replace(store, one, taken));
      operations.add(new WriteOperation.Replace(store, other, given));
    } else {
      operations.add(new WriteOperation.Delete(store, one));
      operations.add(new WriteOperation.Insert(store, taken));
      operations.add(new WriteOperation.Replace(store, other, given));
    }
    commit(operations);
  }

  private List<Future<?>> beside(int count, Callable<?> work) {
    var futures = new ArrayList<Future<?>>();
    for (int i = 0; i < count; i++) {
      futures.add(threads.submit(work));
    }
    return futures;
  }

  private void await(List<Future<?>> futures) throws Exception {
    isOver.set(true);
    for (Future<?> future : futures) {
      future.get();
    }
  }

  @Test
  void pinnedReadersSeeAllMoneyByEveryWay() throws Exception {
    openAccounts();
    var writers =
        beside(
            3,
            () -> {
              var random = new Random();
              while (!isOver.get()) {
                transfer(random);
              }
              return null;
            });
    var mover =
        beside(
            1,
            () -> {
              while (!isOver.get()) {
                splitAndMerge();
                engine.compact();
              }
              return null;
            });
    var random = new Random(7);
    for (int i = 0; i < ROUNDS / 10; i++) {
      try (View view = engine.pin()) {
        for (int again = 0; again < 2; again++) {
          assertThat(moneyByKey(view)).isEqualTo(ACCOUNTS * MONEY);
          assertThat(moneyByScan(view, random.nextBoolean())).isEqualTo(ACCOUNTS * MONEY);
          assertThat(moneyByIndex(view, random.nextBoolean())).isEqualTo(ACCOUNTS * MONEY);
        }
      }
    }
    await(writers);
    await(mover);
    assertThat(moneyByScan(View.NEWEST, false)).isEqualTo(ACCOUNTS * MONEY);
    assertThat(engine.validate(store)).isEmpty();
    engine.parts().points().purge();
    assertThat(engine.parts().points().heldBytes()).isZero();
  }

  private void splitAndMerge() {
    List<PartitionStore> partitions = store.partitions();
    var first = (PhysicalPartition) partitions.get(0);
    String boundary = SplitPoint.of(first.files(), first.range());
    if (boundary != null) {
      engine.split(store, first.id(), boundary);
      List<PartitionStore> after = store.partitions();
      engine.merge(store, after.get(0).id(), after.get(1).id());
    }
  }

  private int moneyByKey(View view) {
    int sum = 0;
    for (int i = 0; i < ACCOUNTS; i++) {
      sum += money(find(view, i));
    }
    return sum;
  }

  private int moneyByScan(View view, boolean reverse) {
    int sum = 0;
    for (PartitionStore partition : view.partitions(store)) {
      var cursor = partition.scan(reverse);
      var meter = new WorkMeter();
      for (var one = cursor.awaitNext(meter); one != null; one = cursor.awaitNext(meter)) {
        sum += money(one);
      }
    }
    return sum;
  }

  private int moneyByIndex(View view, boolean reverse) {
    int sum = 0;
    IndexSpec index = store.info().index("v_1").spec();
    for (PartitionStore partition : view.partitions(store)) {
      var cursor = partition.scan(index, IndexRange.all(reverse));
      var meter = new WorkMeter();
      while (cursor.awaitNext(meter)) {
        sum += money(Lane.await(partition.read(cursor.recordId(), meter)));
      }
    }
    return sum;
  }

  /** One writer counts several documents up together; who sees one at n sees the next at n too. */
  @Test
  void newestReadersNeverSeeHalfOfACommit() throws Exception {
    openAccounts();
    var writer =
        beside(
            1,
            () -> {
              for (int value = MONEY + 1; !isOver.get(); value++) {
                var operations = new ArrayList<WriteOperation>();
                for (int i = 0; i < ACCOUNTS; i++) {
                  var after = RawDocument.of(account(i, value));
                  StoredDocument before = find(View.NEWEST, i);
                  if (i % 3 == 0) {
                    operations.add(new WriteOperation.Delete(store, before));
                    operations.add(new WriteOperation.Insert(store, after));
                  } else {
                    operations.add(new WriteOperation.Replace(store, before, after));
                  }
                }
                commit(operations); // again when compaction moved one
              }
              return null;
            });
    var readers =
        beside(
            2,
            () -> {
              var random = new Random();
              for (int i = 0; i < ROUNDS * 20; i++) {
                int first = money(find(View.NEWEST, random.nextInt(ACCOUNTS)));
                int second = money(find(View.NEWEST, random.nextInt(ACCOUNTS)));
                assertThat(second).isGreaterThanOrEqualTo(first);
              }
              return null;
            });
    for (Future<?> reader : readers) {
      reader.get();
    }
    await(writer);
  }

  @Test
  void aPointThatCostsTooMuchIsGivenUpAndSaysSo() {
    engine.close();
    var options = EngineHarness.quiet().with(new EngineOptions.Points(200_000));
    engine = ChronicleEngine.open(directory, options, new NoHooks());
    store = engine.find(EngineHarness.NAMESPACE);
    openAccounts();
    View oldest = engine.pin();
    var random = new Random(1);
    StorageException refused = null;
    for (int i = 0; i < 20_000 && refused == null; i++) {
      transfer(random);
      try {
        oldest.partitions(store);
      } catch (StorageException e) {
        refused = e;
      }
    }
    assertThat(refused).isNotNull();
    assertThat(refused.reason()).isEqualTo(StorageException.Reason.POINT_LOST);
    engine.parts().points().purge();
    assertThat(engine.parts().points().heldBytes()).isZero();
    try (View fresh = engine.pin()) {
      assertThat(moneyByKey(fresh)).isEqualTo(ACCOUNTS * MONEY);
    }
    assertThatThrownBy(() -> find(oldest, 1)).isInstanceOf(StorageException.class);
    oldest.close();
  }
}
