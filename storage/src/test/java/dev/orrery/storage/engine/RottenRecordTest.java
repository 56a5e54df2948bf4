package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.lane.Lane;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.Receipt;
import dev.orrery.storage.RepairResult;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.log.Log;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A document whose bytes in the log have rotted: what it takes along, and how to be rid of it. */
final class RottenRecordTest {
  private static final int DOCUMENTS = 600;
  private static final int ROTTEN = 30;
  private static final int ANOTHER = 31;

  @TempDir Path root;
  private EngineHarness store;

  @BeforeEach
  void fill() {
    store = new EngineHarness(root.resolve("store"), EngineHarness.compacting(), new NoHooks());
    store.create(
        "k",
        "{key: {v: 1}, name: 'v'}",
        "{key: {u: 1}, name: 'u', unique: true}",
        "{key: {many: 1}, name: 'many'}");
    for (int i = 0; i < DOCUMENTS; i++) {
      store.insert(document(i, i));
    }
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static BsonDocument document(int id, int value) {
    return new BsonDocument("_id", new BsonInt32(id))
        .append("k", new BsonInt32(id % 7))
        .append("v", new BsonInt32(value))
        .append("u", new BsonInt32(id))
        .append("many", new BsonArray(List.of(new BsonInt32(id), new BsonString("s" + id % 3))))
        .append("x", new BsonString("x".repeat(500)));
  }

  private static BsonDocument key(int id) {
    return new BsonDocument("_id", new BsonInt32(id)).append("k", new BsonInt32(id % 7));
  }

  private static RawValue partitionKey(int id) {
    return RawValue.of(new BsonInt32(id % 7));
  }

  private StoredDocument find(int id) {
    byte[] primary = store.store().primaryKey(partitionKey(id), RawValue.of(new BsonInt32(id)));
    return Lane.await(store.store().partitionOf(partitionKey(id)).find(primary, new WorkMeter()));
  }

  private boolean discard(int id) {
    var value = RawValue.of(new BsonInt32(id));
    return store.engine.discard(store.store(), partitionKey(id), value) != Receipt.NONE;
  }

  private static Path file(Path directory, long position) {
    return directory.resolve("log").resolve("%016x.log".formatted(Log.segmentOf(position)));
  }

  /** Stops, flips a bit in each of the documents, and starts again; where the first one lies. */
  private long rot(int... ids) throws IOException {
    var positions = new ArrayList<Long>();
    for (int id : ids) {
      positions.add(find(id).version());
    }
    store.engine.close();
    for (long position : positions) {
      EngineHarness.damage(file(store.directory, position), (int) position + 60);
    }
    store.engine = ChronicleEngine.open(store.directory, store.options, store.hooks);
    return positions.get(0);
  }

  private void deleteMostOfTheOthers() {
    for (int i = 0; i < DOCUMENTS; i++) {
      if (i % 20 != 0 && i != ROTTEN && i != ANOTHER) {
        store.delete(key(i));
      }
    }
  }

  private void compactAll() {
    int freed;
    do {
      freed = store.engine.compact();
    } while (freed > 0);
  }

  private List<Long> segments() {
    return store.engine.parts().log().segments().stream().map(segment -> segment.number()).toList();
  }

  private void requireAllAgree() {
    assertThat(store.engine.validate(store.store())).isEmpty();
    for (int i = 0; i < DOCUMENTS; i += 20) {
      assertThat(find(i).document().toBsonDocument()).isEqualTo(document(i, i));
    }
  }

  @Test
  void compactionGoesOnAroundItAndFreesTheSegmentWhenItIsDeleted() throws IOException {
    long position = rot(ROTTEN);
    long segment = Log.segmentOf(position);
    int before = segments().size();
    deleteMostOfTheOthers();
    compactAll();

    assertThat(segments().size()).isLessThan(before / 2).isGreaterThan(1);
    assertThat(segments()).contains(segment);
    assertThatThrownBy(() -> find(ROTTEN))
        .isInstanceOfSatisfying(
            StorageException.class,
            e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.CORRUPT))
        .hasMessageContaining(
            file(store.directory, position) + " at offset " + (int) position + ":")
        .hasMessageContaining("delete it by its _id");
    assertThat(find(ANOTHER).document().toBsonDocument()).isEqualTo(document(ANOTHER, ANOTHER));

    assertThat(discard(ROTTEN)).isTrue();
    assertThat(discard(ROTTEN)).isFalse();
    assertThat(discard(ANOTHER)).as("it can be read").isFalse();
    compactAll();
    assertThat(segments()).doesNotContain(segment);
    store.engine.verify();
    requireAllAgree();
    store.insert(document(ROTTEN, 1)); // its unique key is free again
    store.reopen();
    store.engine.verify();
    assertThat(store.engine.rebuilt()).isEmpty();
  }

  @Test
  void oneOfTwoCanBeDeletedAndReplayedAfterAKill() throws IOException {
    rot(ROTTEN, ANOTHER);
    assertThat(discard(ROTTEN)).isTrue();
    store.insert(document(ROTTEN, 5));
    store.crash();
    assertThat(store.engine.replayedGroups()).isPositive();
    assertThat(find(ROTTEN).document().toBsonDocument()).isEqualTo(document(ROTTEN, 5));
    assertThat(discard(ANOTHER)).isTrue();
    requireAllAgree();
    store.crash();
    requireAllAgree();
    assertThat(store.engine.rebuilt()).isEmpty();
  }

  @Test
  void versionsThatRotAfterTheyWereReplacedOrDeletedDoNotKeepAStartBack() throws IOException {
    store.engine.checkpoint();
    long replaced = find(ROTTEN).version();
    long deleted = find(ANOTHER).version();
    BsonDocument after = document(ROTTEN, -1).append("u", new BsonInt32(-1));
    var operation = new WriteOperation.Replace(store.store(), find(ROTTEN), RawDocument.of(after));
    Lane.await(store.engine.commit(WriteBatch.of(operation), new WorkMeter()));
    store.delete(key(ANOTHER));
    Path copy = store.copyFiles();
    EngineHarness.damage(file(copy, replaced), (int) replaced + 60);
    EngineHarness.damage(file(copy, deleted), (int) deleted + 60);
    store.goOnWith(copy);
    assertThat(store.engine.replayedGroups()).isPositive();
    assertThat(find(ROTTEN).document().toBsonDocument()).isEqualTo(after);
    assertThat(find(ANOTHER)).isNull();
    requireAllAgree();
    assertThat(store.engine.rebuilt()).isEmpty();
  }

  @Test
  void aRepairGivesItUpAndNamesIt() throws IOException {
    long position = rot(ROTTEN, ANOTHER);
    RepairResult result = store.engine.repair(store.store(), () -> {});
    assertThat(result.isRepaired()).as(result.toString()).isTrue();
    assertThat(result.givenUp()).hasSize(2);
    assertThat(result.givenUp().get(0).what())
        .contains("k 2, _id 30", file(store.directory, position) + " at offset");
    requireAllAgree();
    Map<Integer, BsonDocument> contents = store.contents();
    assertThat(contents).hasSize(DOCUMENTS - 2).doesNotContainKeys(ROTTEN, ANOTHER);
    compactAll();
    store.engine.verify(); // the damaged segments are gone
    store.crash();
    store.engine.verify();
    assertThat(store.contents()).isEqualTo(contents);
  }

  @Test
  void aDropFreesItsSegment() throws IOException {
    long segment = Log.segmentOf(rot(ROTTEN));
    store.engine.drop(store.store());
    store.create(null);
    compactAll();
    assertThat(segments()).doesNotContain(segment).hasSizeLessThanOrEqualTo(2);
    store.engine.verify();
  }

  @Test
  void aCheckThatRepairsLeavesASoundStore() throws IOException {
    rot(ROTTEN);
    store.engine.close();
    var lines = new ArrayList<String>();
    assertThat(new StoreCheck(store.directory, store.hooks, lines::add).run())
        .singleElement()
        .asString()
        .contains("bad checksum");
    assertThat(new StoreCheck(store.directory, store.hooks, lines::add, true).run()).isEmpty();
    assertThat(lines).anyMatch(line -> line.startsWith("given up: ") && line.contains("_id 30"));
    assertThat(new StoreCheck(store.directory, store.hooks, lines::add).run()).isEmpty();
    store.engine = ChronicleEngine.open(store.directory, store.options, store.hooks);
    assertThat(store.contents()).hasSize(DOCUMENTS - 1);
  }

  @Test
  void whateverByteRotsTheOthersAreFoundAndARepairMendsAll() throws IOException {
    var random = new Random(7);
    store.engine.checkpoint();
    for (int round = 0; round < 12; round++) {
      Path copy = store.copyFiles();
      try (var other = new EngineHarness(copy, store.options, store.hooks)) {
        other.engine.close();
        Path segment = copy.resolve("log").resolve("%016x.log".formatted(2 + random.nextInt(3)));
        int offset = 64 + random.nextInt((int) segment.toFile().length() - 128);
        EngineHarness.damage(segment, offset);
        other.engine = ChronicleEngine.open(copy, other.options, other.hooks);
        String where = segment + " at " + offset;
        RepairResult result = other.engine.repair(other.store(), () -> {});
        assertThat(result.remaining()).as(where).isEmpty();
        assertThat(other.contents()).as(where).hasSize(DOCUMENTS - result.givenUp().size());
        assertThat(result.givenUp()).as(where).hasSizeLessThanOrEqualTo(1);
        other.engine.parts().log().damagedSegments().forEach(other.engine.parts()::givenUp);
        while (other.engine.compact() > 0) {
          assertThat(other.engine.validate(other.store())).as(where).isEmpty();
        }
        other.engine.verify();
      }
    }
  }

  @Test
  void splitsOfOthersDoNotWaitForItsPartition() throws Exception {
    var others = new Namespace("db", "younger");
    var limits = new EngineOptions.Limits(Long.MAX_VALUE, 100_000);
    rot(ROTTEN);
    store.engine.close();
    store.engine = ChronicleEngine.open(store.directory, store.options.with(limits), store.hooks);
    assertThat(find(ANOTHER)).isNotNull(); // the partition is open and too large
    var younger = store.createNamed(others, "k");
    for (int i = 0; i < 300; i++) {
      var insert = new WriteOperation.Insert(younger, RawDocument.of(document(i, i)));
      Lane.await(store.engine.commit(WriteBatch.of(insert), new WorkMeter()));
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (younger.partitions().size() == 1 && System.nanoTime() - end < 0) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
    assertThat(younger.partitions()).hasSizeGreaterThan(1);
    assertThat(store.store().partitions()).hasSize(1);
    assertThat(find(ANOTHER).document().toBsonDocument()).isEqualTo(document(ANOTHER, ANOTHER));
  }
}
