package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.lane.Lane;
import dev.orrery.lane.OnLane;
import dev.orrery.lane.WouldWaitException;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.SpecialKeys;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageHooks;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.upkeep.AutomaticSplits;
import dev.orrery.storage.upkeep.CheckpointFile;
import dev.orrery.storage.upkeep.Housekeeping;
import dev.orrery.storage.upkeep.Pace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.StringOrder;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of the engine when its threads fail, and what its lanes may not do. */
@Timeout(60)
final class EngineFailureTest {
  @TempDir Path directory;

  private final LinkedBlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
  private EngineHarness harness;

  private final class Told implements StorageHooks {
    private final StorageHooks none = new NoHooks();

    @Override
    public Predicate<RawDocument> filter(BsonDocument expression) {
      return none.filter(expression);
    }

    @Override
    public SpecialKeys specialKeys(IndexSpec index) {
      throw new UnsupportedOperationException("no keys for " + index);
    }

    @Override
    public StringOrder collation(BsonDocument collation) {
      return none.collation(collation);
    }

    @Override
    public void failed(String part, Throwable cause) {
      failures.add(cause);
    }
  }

  private void open(EngineOptions options) {
    harness = new EngineHarness(directory.resolve("store"), options, new Told());
  }

  @AfterEach
  void close() {
    if (harness != null) {
      harness.engine.close();
    }
  }

  private static BsonDocument document(int id) {
    return new BsonDocument("_id", new BsonInt32(id))
        .append("p", new BsonString("key" + id))
        .append("x", new BsonString("x".repeat(150)));
  }

  /** Fails in the midst of a split, first for want of memory, then for good. */
  private static final class Failing implements Supplier<Pace.Surroundings> {
    final AtomicInteger asked = new AtomicInteger();
    final CountDownLatch goesOn = new CountDownLatch(1);

    @Override
    public Pace.Surroundings get() {
      if (asked.incrementAndGet() <= 2) {
        throw new OutOfMemoryError("a test");
      }
      goesOn.countDown();
      throw new NoClassDefFoundError("a test");
    }
  }

  @Test
  void splitsGoOnAfterALackOfMemoryAndFailTheEngineWhenTheyCannot() throws Exception {
    open(EngineHarness.quiet());
    harness.create("p");
    for (int i = 0; i < 200; i++) {
      harness.insert(document(i));
    }
    var failing = new Failing();
    var splits = new AutomaticSplits(harness.engine.parts(), 1_000, failing);
    splits.start();
    assertThat(failing.goesOn.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(failures.poll(30, TimeUnit.SECONDS)).isInstanceOf(NoClassDefFoundError.class);
    splits.close();
    assertThatThrownBy(() -> harness.insert(document(1000))).isInstanceOf(StorageException.class);
    assertThat(harness.contents()).hasSize(200);
  }

  @Test
  void housekeepingGoesOnAfterALackOfMemoryAndFailsTheEngineWhenItCannot() throws Exception {
    open(EngineHarness.quiet());
    harness.create(null);
    for (int i = 0; i < 1_000; i++) {
      harness.insert(document(i));
    }
    var failing = new Failing();
    var file = new CheckpointFile(directory.resolve("other"), false);
    var housekeeping =
        new Housekeeping(harness.engine.parts(), file, harness.options.upkeep(1 << 20, 0), failing);
    housekeeping.countDropped((ChronicleCollection) harness.store()); // so that it counts again
    housekeeping.start();
    assertThat(failing.goesOn.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(failures.poll(30, TimeUnit.SECONDS)).isInstanceOf(NoClassDefFoundError.class);
    assertThatThrownBy(() -> harness.insert(document(1000))).isInstanceOf(StorageException.class);
  }

  @Test
  void anEventLoopOpensNoPartitionAndTakesNoLockOfTheCatalog() throws Exception {
    open(EngineHarness.quiet());
    harness.create(null);
    harness.insert(document(1));
    harness.reopen();
    byte[] key = harness.store().primaryKey(null, RawDocument.of(document(1)).field("_id"));
    Supplier<Object> read = () -> Lane.await(harness.partition().find(key, new WorkMeter()));
    assertThatThrownBy(() -> OnLane.call(Lane.EVENT_LOOP, read::get))
        .isInstanceOf(WouldWaitException.class);
    assertThat(OnLane.call(Lane.WORKER, read::get)).isNotNull();
    assertThat(OnLane.call(Lane.EVENT_LOOP, read::get)).isNotNull();
    assertThatThrownBy(() -> OnLane.call(Lane.EVENT_LOOP, () -> harness.engine.settings("a")))
        .isInstanceOf(WouldWaitException.class);
    assertThatThrownBy(
            () -> OnLane.call(Lane.EVENT_LOOP, () -> harness.engine.drop(harness.store())))
        .isInstanceOf(WouldWaitException.class);
    assertThat(harness.contents()).hasSize(1);
  }

  @Test
  void anEventLoopLeavesAPartitionThatIsHeldAndNothingIsChanged() throws Exception {
    open(EngineHarness.quiet());
    harness.create(null);
    harness.insert(document(1));
    long before = harness.engine.parts().log().lastLsn();
    harness.partition().lock.lock();
    try {
      assertThatThrownBy(() -> OnLane.call(Lane.EVENT_LOOP, () -> insertOnLane(2)))
          .isInstanceOf(WouldWaitException.class);
    } finally {
      harness.partition().lock.unlock();
    }
    assertThat(harness.engine.parts().log().lastLsn()).isEqualTo(before);
    OnLane.call(Lane.EVENT_LOOP, () -> insertOnLane(2));
    assertThat(harness.contents()).hasSize(2);
  }

  private boolean insertOnLane(int id) {
    harness.insert(document(id));
    return true;
  }
}
