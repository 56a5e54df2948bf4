package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.lane.Lane;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.upkeep.AutomaticSplits;
import dev.orrery.storage.upkeep.Pace;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Splits that wait in the middle, and what ends their waiting. */
final class PacedSplitTest {
  private static final int LIMIT = 64 << 10;
  private static final int DOCUMENTS = 500;
  private static final String HALF = "20000000000000000000000000000000";

  @TempDir Path directory;
  private EngineHarness harness;
  private AutomaticSplits splits;
  private final Standstill standstill = new Standstill();

  /** A server that is always busy, and time that does not pass: who waits here waits for ever. */
  private static final class Standstill implements Pace.Surroundings {
    private final CountDownLatch isWaiting = new CountDownLatch(1);
    private long own;

    @Override
    public long nanos() {
      return 1;
    }

    @Override
    public long ownNanos() {
      own += Pace.BURST_NANOS / 2; // so that a few slices are for free
      return own;
    }

    @Override
    public long processNanos() {
      return 1;
    }

    @Override
    public void sleep(long nanos) {
      isWaiting.countDown();
      LockSupport.parkNanos(1_000_000);
    }
  }

  @BeforeEach
  void open() {
    harness = new EngineHarness(directory.resolve("store"));
    harness.create("p");
    insert(0, DOCUMENTS);
    splits = new AutomaticSplits(harness.engine.parts(), LIMIT, () -> standstill);
  }

  @AfterEach
  void close() {
    splits.close();
    harness.close();
  }

  private void insert(int from, int to) {
    for (int i = from; i < to; i++) {
      harness.insert(document(i));
    }
  }

  private static BsonDocument document(int id) {
    return new BsonDocument("_id", new BsonInt32(id))
        .append("p", new BsonString("key" + id))
        .append("x", new BsonString("x".repeat(150)));
  }

  private void startAndAwaitStandstill() throws InterruptedException {
    splits.start();
    standstill.isWaiting.await();
    assertThat(harness.store().partitions()).hasSize(1);
  }

  private void requireAll(int count) {
    assertThat(harness.engine.validate(harness.store())).isEmpty();
    Map<Integer, BsonDocument> contents = harness.contents();
    assertThat(contents).hasSize(count);
    contents.forEach((id, found) -> assertThat(found).isEqualTo(document(id)));
  }

  private void requireNoChildren() throws IOException {
    try (var partitions = Files.list(harness.directory.resolve("partitions"))) {
      assertThat(partitions).containsExactly(harness.files());
    }
  }

  @Test
  void aStopGivesItUpAndTheParentStays() throws Exception {
    startAndAwaitStandstill();
    splits.close();

    assertThat(harness.store().partitions()).hasSize(1);
    requireNoChildren();
    requireAll(DOCUMENTS);
    harness.reopen();
    requireAll(DOCUMENTS);
  }

  @Test
  void aCrashLeavesTheParent() throws Exception {
    startAndAwaitStandstill();
    insert(DOCUMENTS, DOCUMENTS + 5);
    Path copy = harness.copyFiles();
    splits.close();
    harness.goOnWith(copy);

    requireNoChildren();
    requireAll(DOCUMENTS + 5);
  }

  @Test
  void aDropEndsIt() throws Exception {
    startAndAwaitStandstill();
    harness.engine.drop(harness.store());
    splits.close();

    try (var partitions = Files.list(harness.directory.resolve("partitions"))) {
      assertThat(partitions).isEmpty();
    }
  }

  @Test
  void whoeverNeedsItsEndMakesItHurry() throws Exception {
    startAndAwaitStandstill();
    harness.createIndex("{key: {x: 1}, name: 'x'}");

    assertThat(harness.store().partitions()).hasSize(2);
    splits.close();
    requireAll(DOCUMENTS);
  }

  @Test
  void aPartitionThatGrowsMakesItHurry() throws Exception {
    startAndAwaitStandstill();
    int count = DOCUMENTS;
    while (harness.store().partitions().size() == 1) {
      insert(count, count + 10);
      count += 10;
    }

    splits.close();
    requireAll(count);
  }

  @Test
  void anotherPartitionThatIsOverdueMakesItHurry() throws Exception {
    startAndAwaitStandstill();
    var other = harness.createNamed(new Namespace("db", "other"), "p");
    var operation = new AtomicInteger();
    while (other.partitions().get(0).statistics().bytes() <= 1.25 * LIMIT) {
      var insert =
          new WriteOperation.Insert(other, RawDocument.of(document(operation.incrementAndGet())));
      Lane.await(harness.engine.commit(WriteBatch.of(insert), new WorkMeter()));
    }
    while (harness.store().partitions().size() == 1) {
      LockSupport.parkNanos(1_000_000);
    }

    splits.close();
    requireAll(DOCUMENTS);
  }

  @Test
  void whatAnAwaitedSplitIsToldToThrowEndsIt() throws Exception {
    var calls = new AtomicInteger();
    Runnable killed =
        () -> {
          if (calls.incrementAndGet() == 3) {
            throw new IllegalStateException("killed");
          }
        };
    assertThatThrownBy(() -> harness.engine.split(harness.store(), 0, HALF, killed))
        .hasMessage("killed");
    assertThat(harness.store().partitions()).hasSize(1);
    requireNoChildren();

    harness.engine.split(harness.store(), 0, HALF);
    calls.set(0);
    assertThatThrownBy(() -> harness.engine.merge(harness.store(), 1, 2, killed))
        .hasMessage("killed");
    assertThat(harness.store().partitions()).hasSize(2);
    requireAll(DOCUMENTS);
  }

  @Test
  void anAwaitedSplitEndsWhenTheEngineCloses() {
    var copy = harness.engine;
    var store = harness.store();
    assertThatThrownBy(() -> copy.split(store, 0, HALF, copy::close))
        .isInstanceOfSatisfying(
            StorageException.class,
            e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.UNAVAILABLE));
    harness.reopen();
    assertThat(harness.store().partitions()).hasSize(1);
    requireAll(DOCUMENTS);
  }
}
