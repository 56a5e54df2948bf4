package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.log.LogOptions;
import dev.orrery.storage.log.SegmentInfo;
import dev.orrery.storage.physical.DiskSpace;
import dev.orrery.storage.upkeep.Compaction;
import dev.orrery.storage.upkeep.UpkeepOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.BsonInt32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens to the disk, to cursors and to crashes when dead documents are removed. */
final class CompactionTest {
  private static final int DOCUMENTS = 500;
  private static final int PAYLOAD_BYTES = 1_000;

  @TempDir Path root;
  private EngineHarness store;

  @BeforeEach
  void fill() {
    store = new EngineHarness(root.resolve("store"), EngineHarness.compacting(), new NoHooks());
    store.create(null, "{key: {v: 1}, name: 'v_1'}");
    for (int i = 0; i < DOCUMENTS; i++) {
      store.insert(EngineHarness.document(i, PAYLOAD_BYTES));
    }
  }

  private void overwrite(int round) {
    for (int i = 0; i < DOCUMENTS; i++) {
      var document = EngineHarness.document(i, PAYLOAD_BYTES);
      store.replace(i, document.append("v", new BsonInt32(round * DOCUMENTS + i)));
    }
  }

  private long logBytes() {
    return DiskSpace.usedBytes(store.directory.resolve("log"));
  }

  private void compactAll() {
    int emptied;
    do {
      emptied = store.engine.compact();
    } while (emptied > 0);
  }

  @Test
  void tenOverwritesSettleBelowThreeTimesTheLiveBytes() {
    long liveBytes = store.partition().statistics().bytes();
    for (int round = 1; round <= 10; round++) {
      overwrite(round);
      compactAll();
    }
    assertThat(logBytes()).isLessThan(3 * liveBytes);
    assertThat(DiskSpace.usedBytes(store.directory)).isLessThan(3 * liveBytes);
    store.engine.verify();
    store.crash();
    assertThat(store.contents()).hasSize(DOCUMENTS);
    store.engine.verify();
    store.close();
  }

  @Test
  void deletedDocumentsGiveTheirRoomBackAndSoDoTheirDeletes() {
    for (int i = 1; i < DOCUMENTS; i++) {
      store.delete(i);
    }
    compactAll();
    assertThat(store.engine.parts().log().segments().size()).isLessThanOrEqualTo(2);
    assertThat(store.contents()).containsOnlyKeys(0);
    store.crash();
    assertThat(store.contents()).containsOnlyKeys(0);
    store.engine.verify();
    store.close();
  }

  @Test
  void openCursorsGoOnAcrossACompaction() {
    overwrite(1);
    var meter = new WorkMeter();
    var scan = store.partition().scan(false);
    var byIndex =
        store.partition().scan(store.store().info().index("v_1").spec(), IndexRange.all(false));
    var scanned = new ArrayList<Integer>();
    var found = new ArrayList<Integer>();
    for (int i = 0; i < 100; i++) {
      scanned.add(scan.awaitNext(meter).document().field("_id").asInt32());
      assertThat(byIndex.awaitNext(meter)).isTrue();
      found.add(
          Lane.await(store.partition().read(byIndex.recordId(), meter))
              .document()
              .field("_id")
              .asInt32());
    }
    compactAll();
    for (var one = scan.awaitNext(meter); one != null; one = scan.awaitNext(meter)) {
      scanned.add(one.document().field("_id").asInt32());
    }
    while (byIndex.awaitNext(meter)) {
      found.add(
          Lane.await(store.partition().read(byIndex.recordId(), meter))
              .document()
              .field("_id")
              .asInt32());
    }
    assertThat(scanned).hasSize(DOCUMENTS).doesNotHaveDuplicates();
    assertThat(new HashSet<>(found)).hasSize(DOCUMENTS);
    store.close();
  }

  @Test
  void aCrashBetweenMoveAndDeletionLosesNothing() {
    Path copy = store.engine.parts().exclusively(this::moveAndCopy);
    var before = store.contents();
    store.goOnWith(copy);
    assertThat(store.engine.replayedGroups()).isPositive();
    assertThat(store.contents()).isEqualTo(before);
    store.engine.verify();
    compactAll();
    assertThat(store.contents()).isEqualTo(before);
    store.crash();
    assertThat(store.contents()).isEqualTo(before);
    store.engine.verify();
    store.close();
  }

  /** Moves what lives in mostly dead segments; neither is that saved, nor anything deleted. */
  private Path moveAndCopy() {
    for (int i = 0; i < DOCUMENTS; i++) {
      if (i % 3 > 0) { // a third of each segment stays alive and must be moved
        store.replace(i, EngineHarness.document(i, PAYLOAD_BYTES));
      }
    }
    store.engine.checkpoint();
    var compaction = new Compaction(store.engine.parts(), new UpkeepOptions.Feed(0, 0));
    var candidates = compaction.candidates(() -> {});
    assertThat(candidates).isNotEmpty();
    candidates.forEach(segment -> compaction.run(segment, () -> false, () -> {}));
    return store.copyFiles();
  }

  @Test
  void aDroppedCollectionGivesItsRoomBack() {
    store.engine.drop(store.store());
    compactAll();
    assertThat(store.engine.parts().log().segments().size()).isLessThanOrEqualTo(2);
    store.close();
  }

  @Test
  void itPausesBetweenSlices() {
    var large = LogOptions.defaults().withFsync(false).withSegmentBytes(512 << 10);
    var options = EngineHarness.compacting().with(large);
    var pauses = new AtomicInteger();
    try (var one = new EngineHarness(root.resolve("large"), options, new NoHooks())) {
      one.create(null);
      one.engine
          .parts()
          .exclusively( // which keeps the background out
              () -> {
                for (int i = 0; i < 3_000; i++) {
                  one.insert(EngineHarness.document(i, 100));
                }
                for (int i = 0; i < 3_000; i++) {
                  if (i % 4 > 0) {
                    one.replace(i, EngineHarness.document(i, 100));
                  }
                }
                var compaction = new Compaction(one.engine.parts(), new UpkeepOptions.Feed(0, 0));
                SegmentInfo segment = compaction.candidates(() -> {}).get(0);
                return compaction.run(segment, () -> false, pauses::incrementAndGet);
              });
      assertThat(pauses).hasValueGreaterThan(2);
      assertThat(one.contents()).hasSize(3_000);
      one.engine.verify();
    }
    store.close();
  }

  @Test
  void itIsOverdueWhenMoreThanHalfOfTheLogIsGarbage() {
    store
        .engine
        .parts()
        .exclusively(
            () -> {
              var compaction = new Compaction(store.engine.parts(), new UpkeepOptions.Feed(0, 0));
              assertThat(compaction.isOverdue()).isFalse();
              overwrite(1);
              overwrite(2);
              assertThat(compaction.isOverdue()).isTrue();
              return null;
            });
    store.close();
  }
}
