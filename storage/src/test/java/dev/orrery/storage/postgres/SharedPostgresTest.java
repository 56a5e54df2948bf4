package dev.orrery.storage.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.lane.Lane;
import dev.orrery.storage.Change;
import dev.orrery.storage.Changes;
import dev.orrery.storage.CommittedGroup;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.Transaction;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two servers on one database, and a database that goes away. */
final class SharedPostgresTest {
  private static final IndexSpec INDEX =
      IndexSpec.of(BsonDocument.parse("{v: 2, key: {v: 1}, name: 'v_1', unique: true}"));

  private final String schema = TestPostgres.freshSchema();
  private final OneServer one = new OneServer(schema);
  private final OneServer other = new OneServer(schema);

  @AfterEach
  void close() {
    one.close();
    other.close();
  }

  /** What the other server knows is what it was told last. */
  private void letOtherKnow() throws InterruptedException {
    while (other.things() == null) {
      Thread.sleep(20);
    }
  }

  @Test
  void aServerWithAnOldCatalogCannotWriteByIt() throws InterruptedException {
    one.create("p", 1);
    letOtherKnow();
    other.stopUpkeep();
    one.engine.createIndexes(one.things(), List.of(INDEX));
    assertThat(other.things().info().indexes()).hasSize(1);

    assertThat(other.insert("{_id: 1, p: 'a', v: 1}").isApplied()).isTrue();
    assertThat(other.things().info().indexes()).hasSize(2);
    assertThat(one.insert("{_id: 2, p: 'a', v: 1}").status())
        .isEqualTo(WriteOutcome.Status.DUPLICATE);
    assertThat(one.byIndex(INDEX, IndexRange.all(false))).containsExactly(1);
    one.engine.split(one.things(), 0, "1" + "0".repeat(31));
    RawValue key = RawValue.of(new BsonString("a"));
    assertThat(other.find(key, 1)).isNotNull();
    assertThat(other.insert("{_id: 3, p: 'a', v: 3}").isApplied()).isTrue();
    assertThat(one.engine.validate(one.things())).isEmpty();
    one.engine.drop(one.things());
    assertThat(
            other.commit(
                WriteBatch.of(
                    new WriteOperation.Insert(other.things(), OneServer.raw("{_id: 4, p: 'b'}")))))
        .containsExactly(WriteOutcome.CONFLICT);
  }

  @Test
  void theFeedTellsOfAllServersInOneOrder() throws InterruptedException {
    one.create(null, 1);
    letOtherKnow();
    Changes changes = one.engine.changes().after(0);
    for (int i = 0; i < 20; i++) {
      (i % 2 == 0 ? one : other).insert("{_id: %d}".formatted(i));
    }
    var ids = new ArrayList<Integer>();
    var times = new ArrayList<Long>();
    long deadline = System.nanoTime() + 10_000_000_000L;
    while (ids.size() < 20 && System.nanoTime() < deadline) {
      for (CommittedGroup group : Lane.await(changes.next(1 << 16))) {
        times.add(group.time());
        group.changes().stream()
            .filter(Change.OfDocument.class::isInstance)
            .forEach(each -> ids.add(((Change.OfDocument) each).document().field("_id").asInt32()));
      }
    }
    assertThat(ids).isEqualTo(IntStream.range(0, 20).boxed().toList());
    assertThat(times).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void whatATransactionHoldsNoServerChanges() throws InterruptedException {
    one.create(null, 1);
    letOtherKnow();
    one.insert("{_id: 1, n: 1}");
    try (Transaction transaction = one.engine.begin(0)) {
      var replace =
          new WriteOperation.Replace(
              one.things(), one.find(null, 1), OneServer.raw("{_id: 1, n: 2}"));
      transaction.write(WriteBatch.of(replace), new WorkMeter());
      var plain =
          new WriteOperation.Replace(
              other.things(), other.find(null, 1), OneServer.raw("{_id: 1, n: 3}"));
      assertThat(other.commit(WriteBatch.of(plain)))
          .extracting(WriteOutcome::status)
          .containsExactly(WriteOutcome.Status.CLAIMED);
      Lane.await(transaction.commit(List::of, new WorkMeter()));
    }
    assertThat(other.find(null, 1).document()).isEqualTo(OneServer.raw("{_id: 1, n: 2}"));
  }

  /** Every acknowledged write is there once, and every other one once or not at all. */
  @Test
  void aDatabaseThatIsKilledCostsPatienceAndNoWrite() throws Exception {
    one.create(null, 1);
    letOtherKnow();
    one.insert("{_id: 0, n: 0}");
    Set<Integer> acknowledged = new ConcurrentSkipListSet<>();
    var isDone = new AtomicBoolean();
    var failures = new ConcurrentSkipListSet<String>();
    var writers = new ArrayList<Thread>();
    for (int writer = 0; writer < 4; writer++) {
      int first = 1 + writer * 1_000_000;
      OneServer server = writer % 2 == 0 ? one : other;
      var thread = new Thread(() -> write(server, first, isDone, acknowledged, failures));
      writers.add(thread);
      thread.start();
    }
    for (int round = 0; round < 2; round++) {
      Thread.sleep(400);
      TestPostgres.running().kill();
      Thread.sleep(100);
      TestPostgres.running().start();
    }
    Thread.sleep(400);
    isDone.set(true);
    for (Thread writer : writers) {
      writer.join();
    }
    assertThat(failures).isEmpty();
    assertThat(acknowledged).hasSizeGreaterThan(20);
    var cursor = one.things().partitions().get(0).scan(false);
    var found = new ArrayList<Integer>();
    var meter = new WorkMeter();
    for (var next = cursor.awaitNext(meter); next != null; next = cursor.awaitNext(meter)) {
      found.add(next.document().field("_id").asInt32());
    }
    found.remove((Integer) 0);
    assertThat(found).doesNotHaveDuplicates();
    assertThat(Set.copyOf(found)).isEqualTo(acknowledged.stream().collect(Collectors.toSet()));
    int count = one.find(null, 0).document().field("n").asInt32();
    assertThat(count).isEqualTo(acknowledged.size());
    assertThat(one.engine.validate(one.things())).isEmpty();
  }

  /** Inserts a document and counts it in another, in one batch. */
  private static void write(
      OneServer server,
      int first,
      AtomicBoolean isDone,
      Set<Integer> acknowledged,
      Set<String> no) {
    for (int id = first; !isDone.get(); id++) {
      try {
        boolean isApplied = false;
        while (!isApplied) {
          StoredDocument count = server.find(null, 0);
          int n = count.document().field("n").asInt32();
          var batch =
              new WriteBatch(
                  List.of(
                      new WriteOperation.Insert(
                          server.things(), OneServer.raw("{_id: %d}".formatted(id))),
                      new WriteOperation.Replace(
                          server.things(),
                          count,
                          RawDocument.of(
                              new BsonDocument("_id", new BsonInt32(0))
                                  .append("n", new BsonInt32(n + 1))))),
                  WriteBatch.OnFailure.APPLY_NONE);
          List<WriteOutcome> outcomes = server.commit(batch);
          isApplied = outcomes.stream().allMatch(WriteOutcome::isApplied);
          if (outcomes.get(0).status() == WriteOutcome.Status.DUPLICATE) {
            throw new IllegalStateException(id + " was written before");
          }
        }
        acknowledged.add(id);
      } catch (RuntimeException e) {
        no.add(e.toString());
        return;
      }
    }
  }

  @Test
  void tablesOfAnotherLayoutAreRefused() {
    one.engine.connections().with(session -> session.update("UPDATE meta SET layout = 99"));
    assertThatThrownBy(
            () -> PostgresEngine.open(TestPostgres.running().options(schema), new NoHooks()))
        .isInstanceOfSatisfying(
            StorageException.class,
            e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.UNUSABLE))
        .hasMessageContaining("layout 99")
        .hasMessageContaining("newer version");
  }
}
