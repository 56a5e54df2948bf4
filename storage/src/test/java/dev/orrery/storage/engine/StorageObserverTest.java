package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.orrery.lane.Lane;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.SpecialKeys;
import dev.orrery.storage.StorageFigures;
import dev.orrery.storage.StorageHooks;
import dev.orrery.storage.StorageObserver;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.log.LogOptions;
import dev.orrery.value.RawDocument;
import dev.orrery.value.StringOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an engine tells of itself. */
final class StorageObserverTest {
  private static final String HALF = "20000000000000000000000000000000";

  @TempDir Path root;

  private final Notes notes = new Notes();

  /** Writes down what it is told. */
  private static final class Notes implements StorageObserver {
    final AtomicInteger commits = new AtomicInteger();
    final AtomicInteger forces = new AtomicInteger();
    final AtomicInteger checkpoints = new AtomicInteger();
    final AtomicLong freed = new AtomicLong();
    final List<Repartition> changes = new CopyOnWriteArrayList<>();

    @Override
    public void forced(int waiting, long nanos) {
      forces.incrementAndGet();
      commits.addAndGet(waiting);
      assertThat(nanos).isPositive();
    }

    @Override
    public void checkpointed(long nanos) {
      checkpoints.incrementAndGet();
    }

    @Override
    public void segmentFreed(long bytes) {
      freed.addAndGet(bytes);
    }

    @Override
    public void repartitioned(Repartition change) {
      changes.add(change);
    }
  }

  private StorageHooks hooks() {
    var none = new NoHooks();
    return new StorageHooks() {
      @Override
      public Predicate<RawDocument> filter(BsonDocument expression) {
        return none.filter(expression);
      }

      @Override
      public StringOrder collation(BsonDocument collation) {
        return none.collation(collation);
      }

      @Override
      public SpecialKeys specialKeys(IndexSpec index) {
        return none.specialKeys(index);
      }

      @Override
      public StorageObserver observer() {
        return notes;
      }
    };
  }

  private EngineHarness open(EngineOptions options) {
    return new EngineHarness(root.resolve("store"), options, hooks());
  }

  @Test
  void splitsAndMergesAreToldWithTheirPartitions() {
    try (EngineHarness harness = open(EngineHarness.quiet())) {
      harness.create("p");
      harness.insert("{_id: 1, p: 'a'}");
      harness.engine.split(harness.store(), 0, HALF);
      harness.engine.merge(harness.store(), 1, 2);
      assertThat(notes.changes)
          .extracting(StorageObserver.Repartition::before, StorageObserver.Repartition::after)
          .containsExactly(tuple(List.of(0), List.of(1, 2)), tuple(List.of(1, 2), List.of(3)));
      assertThat(notes.changes)
          .allSatisfy(
              change -> {
                assertThat(change.namespace()).isEqualTo(EngineHarness.NAMESPACE);
                assertThat(change.collection()).isEqualTo(harness.store().info().uuid());
                assertThat(change.nanos()).isPositive();
              });
      assertThat(notes.checkpoints).hasValue(2); // one after each
    }
  }

  @Test
  void everyForceIsToldWithThoseWhoWaited() {
    var durable =
        EngineHarness.quiet()
            .with(LogOptions.defaults().withFsync(true).withSegmentBytes(64 << 10));
    try (EngineHarness harness = open(durable)) {
      harness.create(null);
      for (int i = 0; i < 5; i++) {
        harness.insert(i);
        Lane.await(harness.engine.receipt().whenDurable());
      }
    }
    assertThat(notes.forces).hasValueGreaterThanOrEqualTo(5);
    assertThat(notes.commits).hasValueGreaterThanOrEqualTo(5);
  }

  private static void fillAndEmpty(EngineHarness harness) {
    harness.create(null);
    for (int i = 0; i < 300; i++) {
      harness.insert(EngineHarness.document(i, 1_000));
    }
    for (int i = 0; i < 300; i++) {
      harness.delete(i);
    }
  }

  @Test
  void figuresTellOfTheLogAndItsGarbage() {
    try (EngineHarness harness = open(EngineHarness.quiet())) {
      StorageFigures empty = harness.engine.figures();
      assertThat(empty.deadBytes()).isZero();
      fillAndEmpty(harness);
      StorageFigures full = harness.engine.figures();
      assertThat(full.logBytes()).isGreaterThan(300_000);
      assertThat(full.logSegments()).isGreaterThan(3);
      assertThat(full.deadBytes()).isBetween(300_000L, full.logBytes());
      assertThat(full.freeBytes()).isPositive();
    }
  }

  @Test
  void segmentsThatCompactionFreesAreTold() {
    try (EngineHarness harness = open(EngineHarness.compacting())) {
      fillAndEmpty(harness);
      harness.engine.compact();
      assertThat(notes.freed.get()).isGreaterThan(200_000);
    }
  }
}
