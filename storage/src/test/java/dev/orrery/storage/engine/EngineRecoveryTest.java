package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.lane.Lane;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.SpecialKeys;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageHooks;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import dev.orrery.value.StringOrder;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a start makes of the files that a crash left. */
final class EngineRecoveryTest {
  @TempDir Path root;

  private EngineHarness open() {
    return new EngineHarness(root.resolve("store"));
  }

  @Test
  void onlyWhatCameAfterTheCheckpointIsReplayed() {
    try (var store = open()) {
      store.create(null);
      for (int i = 0; i < 500; i++) {
        store.insert(i);
      }
      store.engine.checkpoint();
      for (int i = 500; i < 520; i++) {
        store.insert(i);
      }
      store.crash();
      assertThat(store.engine.replayedGroups()).isEqualTo(20);
      assertThat(store.contents()).hasSize(520);
      store.reopen();
      assertThat(store.engine.replayedGroups()).isZero();
      assertThat(store.contents()).hasSize(520);
    }
  }

  @Test
  void theCheckpointIntervalBoundsWhatIsReplayed() throws InterruptedException {
    var options = EngineHarness.quiet().with(new EngineOptions.Checkpoints(32 << 10, 60_000));
    try (var store = new EngineHarness(root.resolve("store"), options, new NoHooks())) {
      store.create(null);
      for (int i = 0; i < 3_000; i++) {
        store.insert(i);
        if (i % 200 == 0) {
          Thread.sleep(20); // the background must get a turn on a busy machine
        }
      }
      Thread.sleep(1_000);
      store.crash();
      // 32 KB of log, and what comes until the background looks again.
      assertThat(store.engine.replayedGroups()).isLessThan(1_500);
      assertThat(store.contents()).hasSize(3_000);
    }
  }

  @Test
  void aGroupThatIsTornVanishesWhole() throws IOException {
    try (var store = open()) {
      store.create(null);
      store.insert(1);
      var operations = new ArrayList<WriteOperation>();
      for (int i = 10; i < 20; i++) {
        var document = RawDocument.of(EngineHarness.document(i, 100));
        operations.add(new WriteOperation.Insert(store.store(), document));
      }
      var batch = new WriteBatch(operations, WriteBatch.OnFailure.STOP);
      Lane.await(store.engine.commit(batch, new WorkMeter()));
      long end = store.engine.parts().log().segments().get(0).bytes();
      Path copy = store.copyFiles();
      try (var file = new RandomAccessFile(segments(copy).get(0).toFile(), "rw")) {
        file.setLength(end - 150); // in the ninth document of ten
      }
      store.engine.close();
      store.directory = copy;
      store.engine = ChronicleEngine.open(copy, store.options, store.hooks);
      assertThat(store.contents()).containsOnlyKeys(1);
      store.insert(10);
      store.engine.verify();
    }
  }

  @Test
  void aFlippedByteInASealedSegmentIsReportedAndNeverReturned() throws IOException {
    try (var store = open()) {
      store.create(null);
      for (int i = 0; i < 200; i++) {
        store.insert(EngineHarness.document(i, 1_000));
      }
      store.reopen();
      Path segment = segments(store.directory).get(1);
      store.engine.close();
      EngineHarness.damage(segment, 30_000);
      store.engine = ChronicleEngine.open(store.directory, store.options, store.hooks);
      int failures = 0;
      for (int i = 0; i < 200; i++) {
        try {
          var found = store.find(i).document().toBsonDocument();
          assertThat(found).isEqualTo(EngineHarness.document(i, 1_000));
        } catch (StorageException e) {
          assertThat(e.reason()).isEqualTo(StorageException.Reason.CORRUPT);
          assertThat(e).hasMessageContaining(segment.toString()).hasMessageContaining("offset");
          failures++;
        }
      }
      assertThat(failures).isEqualTo(1);
      assertThatThrownBy(store.engine::verify)
          .hasMessageContaining(segment.toString())
          .hasMessageContaining("offset");
    }
  }

  @Test
  void withoutACheckpointFileTheWholeLogIsReplayed() throws IOException {
    try (var store = open()) {
      store.create(null, "{key: {v: 1}, name: 'v_1'}");
      store.insert(1);
      store.engine.close();
      Files.delete(store.directory.resolve("checkpoint"));
      store.engine = ChronicleEngine.open(store.directory, store.options, store.hooks);
      assertThat(store.contents()).containsOnlyKeys(1);
      store.engine.verify();
    }
  }

  @Test
  void withoutACheckpointFileACompactedLogIsRefused() throws IOException {
    var options = EngineHarness.compacting();
    try (var store = new EngineHarness(root.resolve("store"), options, new NoHooks())) {
      store.create(null);
      store.insert(1);
      for (int i = 0; i < 300; i++) {
        store.replace(1, EngineHarness.document(1, 1_000));
      }
      assertThat(store.engine.compact()).isPositive();
      Path copy = store.copyFiles();
      Files.delete(copy.resolve("checkpoint"));
      assertThatThrownBy(() -> ChronicleEngine.open(copy, options, store.hooks))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("checkpoint");
      assertThat(Files.exists(copy.resolve("partitions").resolve("1-0"))).isTrue();
    }
  }

  @Test
  void aDamagedCheckpointFileIsMadeAnewOfTheWholeLog() throws IOException {
    try (var store = open()) {
      store.create(null, "{key: {v: 1}, name: 'v_1', unique: true}");
      for (int i = 0; i < 200; i++) {
        store.insert(i);
      }
      store.engine.checkpoint();
      store.delete(7);
      Path copy = store.copyFiles();
      EngineHarness.damage(copy.resolve("checkpoint"), 60);
      store.goOnWith(copy);
      assertThat(store.contents()).hasSize(199);
      store.engine.verify();
      assertThat(store.engine.rebuilt())
          .singleElement()
          .satisfies(what -> assertThat(what).contains(copy.resolve("checkpoint").toString()));
      store.reopen();
      assertThat(store.engine.replayedGroups()).isZero();
      assertThat(store.engine.rebuilt()).isEmpty();
    }
  }

  @Test
  void aDamagedCheckpointFileIsReportedWhenTheLogIsNoLongerWhole() throws IOException {
    var options = EngineHarness.compacting();
    try (var store = new EngineHarness(root.resolve("store"), options, new NoHooks())) {
      store.create(null);
      store.insert(1);
      for (int i = 0; i < 300; i++) {
        store.replace(1, EngineHarness.document(1, 1_000));
      }
      assertThat(store.engine.compact()).isPositive();
      Path copy = store.copyFiles();
      EngineHarness.damage(copy.resolve("checkpoint"), 60);
      assertThatThrownBy(() -> ChronicleEngine.open(copy, store.options, store.hooks))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining(copy.resolve("checkpoint").toString());
    }
  }

  @Test
  void aCheckpointWaitsForACommitUnderWay() throws InterruptedException {
    try (var store = open()) {
      store.create(null);
      store.insert(1);
      store.engine.checkpoint();
      // A commit that has appended its group and not yet said that it changed the partition.
      store.partition().lock.lock();
      var checkpoint = new Thread(store.engine::checkpoint);
      try {
        checkpoint.start();
        while (checkpoint.isAlive() && !store.partition().lock.hasQueuedThread(checkpoint)) {
          Thread.sleep(1);
        }
        assertThat(checkpoint.isAlive()).isTrue();
      } finally {
        store.partition().lock.unlock();
      }
      checkpoint.join();
    }
  }

  @Test
  void whatAFailedIndexHasNotTakenIsReplayedByTheNextStart() {
    try (var store = open()) {
      store.create(null);
      store.insert(1);
      // As if the index had failed half-way: the log has the document, the map has not.
      byte[] key = store.store().primaryKey(null, RawValue.of(new BsonInt32(1)));
      store.partition().files().ids().remove(key);
      store.partition().fail(new IllegalStateException("a test"));
      assertThatThrownBy(store.engine::checkpoint).isInstanceOf(StorageException.class);
      store.reopen();
      assertThat(store.find(1)).isNotNull();
      store.engine.verify();
    }
  }

  @Test
  void anIndexDoesNotSeeWhatDocumentsWereBeforeItExisted() {
    try (var store = open()) {
      store.create(null);
      store.insert("{_id: 1, a: [1, 2], b: [1, 2]}");
      store.replace(1, BsonDocument.parse("{_id: 1, a: 1, b: 1}"));
      store.createIndex("{key: {a: 1, b: 1}, name: 'a_1_b_1'}"); // takes one array, not two
      store.crash();
      store.engine.verify();
    }
  }

  @Test
  void aUniqueIndexKeepsAKeyThatWasTakenTwiceBeforeItExisted() {
    try (var store = open()) {
      store.create(null);
      store.insert("{_id: 1, u: 7}");
      store.insert("{_id: 2, u: 7}");
      store.replace(2, BsonDocument.parse("{_id: 2, u: 8}"));
      store.createIndex("{key: {u: 1}, name: 'u_1', unique: true}");
      store.crash();
      store.engine.verify();
      var duplicate = RawDocument.of(BsonDocument.parse("{_id: 3, u: 7}"));
      var batch = WriteBatch.of(new WriteOperation.Insert(store.store(), duplicate));
      var outcome = Lane.await(store.engine.commit(batch, new WorkMeter())).outcomes().get(0);
      assertThat(outcome.isApplied()).isFalse();
    }
  }

  @Test
  void aRenameOverAnotherCollectionIsOneGroup() {
    try (var store = open()) {
      store.create(null);
      store.insert(1);
      var from = store.createNamed(new Namespace("db", "other"), null);
      long before = store.engine.parts().log().lastLsn();
      assertThat(store.engine.rename(from, from.info().namespace(), EngineHarness.NAMESPACE, true))
          .isTrue();
      assertThat(store.engine.parts().log().lastLsn()).isEqualTo(before + 1);
      store.crash();
      assertThat(store.engine.collections()).hasSize(1);
      assertThat(store.contents()).isEmpty();
    }
  }

  @Test
  void anIndexBuildThatACrashCutShortLeavesNothingForTheNext() {
    var copies = new ArrayList<Path>();
    var running = new AtomicReference<EngineHarness>();
    var hooks = new CrashInFilter(() -> copies.add(saveAndCopy(running.get())));
    try (var store = new EngineHarness(root.resolve("store"), EngineHarness.quiet(), hooks)) {
      running.set(store);
      store.create(null);
      for (int i = 0; i < 100; i++) {
        store.insert(i);
      }
      store.createIndex("{key: {v: 1}, name: 'v_1', partialFilterExpression: {v: 70}}");
    }
    try (var after = new EngineHarness(copies.get(0), EngineHarness.quiet(), new AllMatch())) {
      assertThat(after.store().info().index("v_1")).isNull();
      after.delete(3); // the interrupted build had an entry for it
      after.createIndex("{key: {v: 1}, name: 'v_1', partialFilterExpression: {v: 70}}");
      after.engine.verify();
    }
  }

  private static Path saveAndCopy(EngineHarness store) {
    store.engine.checkpoint();
    return store.copyFiles();
  }

  /** A filter that lets everything pass. */
  private static class AllMatch implements StorageHooks {
    @Override
    public Predicate<RawDocument> filter(BsonDocument expression) {
      return document -> true;
    }

    @Override
    public SpecialKeys specialKeys(IndexSpec index) {
      throw new UnsupportedOperationException("no keys for " + index);
    }

    @Override
    public StringOrder collation(BsonDocument collation) {
      return StringOrder.UTF8;
    }
  }

  /** Does something in the middle of an index build, once. */
  private static final class CrashInFilter extends AllMatch {
    private final Runnable crash;
    private int seen;

    CrashInFilter(Runnable crash) {
      this.crash = crash;
    }

    @Override
    public Predicate<RawDocument> filter(BsonDocument expression) {
      return document -> {
        if (++seen == 50) {
          crash.run();
        }
        return true;
      };
    }
  }

  private static List<Path> segments(Path store) throws IOException {
    try (Stream<Path> files = Files.list(store.resolve("log"))) {
      return files.filter(path -> path.toString().endsWith(".log")).sorted().toList();
    }
  }
}
