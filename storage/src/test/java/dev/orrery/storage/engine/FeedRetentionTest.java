package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.lane.Lane;
import dev.orrery.storage.Change;
import dev.orrery.storage.Changes;
import dev.orrery.storage.CommittedGroup;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageException.Reason;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long changes can be read, and that compaction is none. */
final class FeedRetentionTest {
  private static final int DOCUMENTS = 200;
  private static final int PAYLOAD_BYTES = 1_000;

  @TempDir Path root;

  private EngineHarness overwritten(EngineOptions.Compacting compacting) {
    var store =
        new EngineHarness(
            root.resolve("store"), EngineHarness.quiet().with(compacting), new NoHooks());
    store.create(null);
    for (int round = 0; round < 5; round++) {
      for (int i = 0; i < DOCUMENTS; i++) {
        var document = EngineHarness.document(i, PAYLOAD_BYTES);
        document.append("v", new BsonInt32(round));
        if (round == 0) {
          store.insert(document);
        } else if (i % 10 != 0) { // some stay, to be moved
          store.replace(i, document);
        }
      }
    }
    return store;
  }

  private static List<Integer> read(Changes changes) {
    var rounds = new ArrayList<Integer>();
    for (List<CommittedGroup> groups = Lane.await(changes.next(1 << 20));
        !groups.isEmpty();
        groups = Lane.await(changes.next(1 << 20))) {
      for (CommittedGroup group : groups) {
        for (Change change : group.changes()) {
          if (change instanceof Change.OfDocument one) {
            rounds.add(one.document().field("v").asInt32());
          }
        }
      }
    }
    return rounds;
  }

  @Test
  void whatIsYoungEnoughStaysAlthoughItIsGarbage() {
    EngineHarness store = overwritten(new EngineOptions.Compacting(Long.MAX_VALUE, 3_600_000));

    assertThat(store.engine.compact()).isZero();

    assertThat(read(store.engine.changes().after(0))).hasSize(DOCUMENTS + 4 * DOCUMENTS * 9 / 10);
    store.close();
  }

  @Test
  void whatIsTooOldGoesAndIsRefusedWithTheOldestTime() {
    EngineHarness store = overwritten(new EngineOptions.Compacting(Long.MAX_VALUE, -1));

    store.engine.compact();

    long oldest = store.engine.changes().oldest();
    assertThat(oldest).isPositive();
    assertTrimmed(() -> store.engine.changes().after(0));
    assertThatThrownBy(() -> store.engine.changes().after(oldest - 1))
        .hasMessageContaining("Timestamp(" + (oldest >>> 32) + ", ");
    store.close();
  }

  @Test
  void aSlowReaderIsToldWhenWhatComesNextIsGone() {
    EngineHarness store = overwritten(new EngineOptions.Compacting(Long.MAX_VALUE));
    Changes slow = store.engine.changes().after(0);
    assertThat(Lane.await(slow.next(1))).hasSize(1);
    var log = store.engine.parts().log();
    log.deleteSegment(log.segments().get(1).number());

    assertTrimmed(() -> read(slow));
    store.close();
  }

  @Test
  void documentsThatCompactionMovesAreNoChanges() {
    EngineHarness store = overwritten(new EngineOptions.Compacting(200 << 10));
    long end = store.engine.changes().newest();

    assertThat(store.engine.compact()).isPositive();

    assertThat(store.engine.changes().newest()).isGreaterThan(end);
    assertThat(read(store.engine.changes().after(end))).isEmpty();
    assertThat(read(store.engine.changes().after(store.engine.changes().oldest())))
        .isNotEmpty()
        .isSorted();
    store.close();
  }

  @Test
  void aCrashLeavesTheNamesOfWhatIsGone() {
    EngineHarness store = overwritten(new EngineOptions.Compacting(Long.MAX_VALUE));
    List<Integer> before = read(store.engine.changes().after(0));
    store.engine.checkpoint();
    store.engine.drop(store.store());
    store.crash();

    assertThat(read(store.engine.changes().after(0))).isEqualTo(before);

    store.engine.checkpoint();
    store.crash();
    assertThat(read(store.engine.changes().after(0))).isEqualTo(before);
    store.close();
  }

  private static void assertTrimmed(Runnable reading) {
    assertThatThrownBy(reading::run)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.LOG_TRIMMED));
  }
}
