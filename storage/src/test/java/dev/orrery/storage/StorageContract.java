package dev.orrery.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.KeyEncoder;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;

/** What any storage engine must do; an engine's test extends this and says how to open one. */
public abstract class StorageContract extends StorageFixture {
  @Test
  void aDocumentIsFoundByItsPrimaryKeyAndComesBackByteForByte() {
    create(null, 1);
    assertThat(insert("{_id: 1, a: {b: [1, 2]}}").isApplied()).isTrue();

    assertThat(find(1).document()).isEqualTo(raw("{_id: 1, a: {b: [1, 2]}}"));
    assertThat(find(2)).isNull();
  }

  @Test
  void aSecondDocumentWithAnEqualIdIsRefusedWhateverItsNumberType() {
    create(null, 1);
    insert("{_id: 1}");

    WriteOutcome outcome = insert("{_id: {$numberDouble: '1.0'}, other: true}");

    assertThat(outcome.status()).isEqualTo(WriteOutcome.Status.DUPLICATE);
    assertThat(outcome.index().name()).isEqualTo("_id_");
    assertThat(scan(things())).containsExactly(BsonDocument.parse("{_id: 1}"));
  }

  @Test
  void twoDocumentsMayShareAnIdUnderDifferentPartitionKeys() {
    create("p", 4);

    assertThat(insert("{_id: 1, p: 'a'}").isApplied()).isTrue();
    assertThat(insert("{_id: 1, p: 'b'}").isApplied()).isTrue();
    assertThat(insert("{_id: 1, p: 'a'}").isApplied()).isFalse();
    assertThat(find("a", 1).document()).isEqualTo(raw("{_id: 1, p: 'a'}"));
    assertThat(find("b", 1).document()).isEqualTo(raw("{_id: 1, p: 'b'}"));
  }

  @Test
  void documentsOfAPartitionKeyAreReachedByAnIndexThatIsNotListed() {
    create("p", 3);
    for (int i = 0; i < 60; i++) {
      insert("{_id: %d, p: 'k%d'}".formatted(i, i % 6));
    }
    commit(new WriteOperation.Delete(things(), find("k1", 7)));
    commit(new WriteOperation.Replace(things(), find("k1", 13), raw("{_id: 13, p: 'k1', v: 1}")));
    engine.split(things(), 0, "1" + "0".repeat(31));
    reopen();

    assertThat(things().info().readyIndexes()).hasSize(1);
    assertThat(idsUnderKey("k1")).containsExactly(1, 13, 19, 25, 31, 37, 43, 49, 55);
    assertThat(idsUnderKey("k9")).isEmpty();
    assertThat(engine.validate(things())).isEmpty();
  }

  private List<Integer> idsUnderKey(String value) {
    RawValue key = RawValue.of(new BsonString(value));
    byte[] encoded = new KeyEncoder().append(key, false).toByteArray();
    var ids = new ArrayList<Integer>();
    PartitionStore owner = things().partitionOf(key);
    var range = new IndexRange(encoded, true, encoded, true, false);
    var cursor = owner.scan(things().keyIndex(), range);
    var meter = new WorkMeter();
    while (cursor.awaitNext(meter)) {
      ids.add(Lane.await(owner.read(cursor.recordId(), meter)).document().field("_id").asInt32());
    }
    assertThat(meter.keysExamined()).isLessThanOrEqualTo(ids.size() + 1); // one to see the end
    ids.sort(null);
    return ids;
  }

  @Test
  void aReplaceWithAStaleVersionConflictsAndChangesNothing() {
    create(null, 1);
    insert("{_id: 1, v: 1}");
    StoredDocument seen = find(1);
    commit(new WriteOperation.Replace(things(), seen, raw("{_id: 1, v: 2}")));

    var outcome = commit(new WriteOperation.Replace(things(), seen, raw("{_id: 1, v: 3}")));

    assertThat(outcome.status()).isEqualTo(WriteOutcome.Status.CONFLICT);
    assertThat(find(1).document()).isEqualTo(raw("{_id: 1, v: 2}"));
  }

  @Test
  void aDeletedDocumentIsGoneFromKeysScansAndIndexes() {
    create(null, 1);
    insert("{_id: 1}");
    insert("{_id: 2}");

    assertThat(commit(new WriteOperation.Delete(things(), find(1))).isApplied()).isTrue();

    assertThat(find(1)).isNull();
    assertThat(scan(things())).containsExactly(BsonDocument.parse("{_id: 2}"));
    assertThat(idsByIndex(things(), "_id_")).containsExactly(2);
    assertThat(insert("{_id: 1, again: true}").isApplied()).isTrue();
  }

  @Test
  void aBatchSaysForEachOperationWhatBecameOfIt() {
    create(null, 1);
    var operations = new ArrayList<WriteOperation>();
    for (int id : new int[] {1, 2, 1, 3}) {
      operations.add(new WriteOperation.Insert(things(), raw("{_id: " + id + "}")));
    }

    assertThat(statuses(operations, WriteBatch.OnFailure.APPLY_NONE))
        .containsExactly("NOT_APPLIED", "NOT_APPLIED", "DUPLICATE", "NOT_APPLIED");
    assertThat(scan(things())).isEmpty();
    assertThat(statuses(operations, WriteBatch.OnFailure.STOP))
        .containsExactly("APPLIED", "APPLIED", "DUPLICATE", "NOT_APPLIED");
    assertThat(statuses(operations, WriteBatch.OnFailure.CONTINUE))
        .containsExactly("DUPLICATE", "DUPLICATE", "DUPLICATE", "APPLIED");
    assertThat(scan(things())).hasSize(3);
  }

  private List<String> statuses(List<WriteOperation> operations, WriteBatch.OnFailure onFailure) {
    return Lane.await(engine.commit(new WriteBatch(operations, onFailure), new WorkMeter()))
        .outcomes()
        .stream()
        .map(outcome -> outcome.status().name())
        .toList();
  }

  @Test
  void oneBatchCannotChangeTheSameVersionTwice() {
    create(null, 1);
    insert("{_id: 1, v: 1}");
    StoredDocument seen = find(1);
    List<WriteOperation> operations =
        List.of(
            new WriteOperation.Replace(things(), seen, raw("{_id: 1, v: 2}")),
            new WriteOperation.Delete(things(), seen));

    assertThat(statuses(operations, WriteBatch.OnFailure.CONTINUE))
        .containsExactly("APPLIED", "CONFLICT");
  }

  @Test
  void uniqueKeysHoldWithinAPartitionKeyAndMissingCountsAsNull() {
    create("p", 2);
    engine.createIndexes(things(), List.of(IndexSpec.of(BsonDocument.parse(UNIQUE_INDEX))));

    assertThat(insert("{_id: 1, p: 'a', u: 1}").isApplied()).isTrue();
    assertThat(insert("{_id: 2, p: 'b', u: 1}").isApplied()).isTrue();
    assertThat(insert("{_id: 3, p: 'a', u: 1}").status()).isEqualTo(WriteOutcome.Status.DUPLICATE);
    assertThat(insert("{_id: 4, p: 'a'}").isApplied()).isTrue();
    assertThat(insert("{_id: 5, p: 'a', u: null}").isApplied()).isFalse();
    commit(new WriteOperation.Delete(things(), find("a", 1)));
    assertThat(insert("{_id: 3, p: 'a', u: 1}").isApplied()).isTrue();
  }

  @Test
  void whoHasAKeyThatIsThereTwiceMayKeepItInAPreparedIndex() {
    create("p", 2);
    var index = "{v: 2, key: {u: 1}, name: 'u_1', prepareUnique: true}";
    insert("{_id: 1, p: 'a', u: 1}");
    insert("{_id: 2, p: 'a', u: 1}");
    engine.createIndexes(things(), List.of(IndexSpec.of(BsonDocument.parse(index))));

    RawDocument other = raw("{_id: 2, p: 'a', u: 1, b: 1}");
    assertThat(commit(new WriteOperation.Replace(things(), find("a", 2), other)).isApplied())
        .isTrue();
    assertThat(insert("{_id: 3, p: 'a', u: 1}").status()).isEqualTo(WriteOutcome.Status.DUPLICATE);
  }

  protected static final String UNIQUE_INDEX = "{v: 2, key: {u: 1}, name: 'u_1', unique: true}";

  @Test
  void anIndexIsBuiltOverExistingDocumentsAndKeptByWrites() {
    create("p", 3);
    for (int i = 0; i < 200; i++) {
      insert("{_id: %d, p: %d, a: %d}".formatted(i, i % 7, -i));
    }
    engine.createIndexes(
        things(), List.of(IndexSpec.of(BsonDocument.parse("{key: {a: 1}, name: 'a_1'}"))));
    insert("{_id: 1000, p: 1, a: -1000}");

    assertThat(idsByIndex(things(), "a_1")).hasSize(201).contains(1000);
    assertThat(engine.validate(things())).isEmpty();
    assertThat(engine.dropIndex(things(), "a_1")).isTrue();
    assertThat(engine.dropIndex(things(), "a_1")).isFalse();
    assertThat(things().info().readyIndexes()).hasSize(1);
  }

  @Test
  void aLargeBatchIsInEveryIndexInOrder() {
    CollectionStore store = create(null, 1);
    engine.createIndexes(
        store,
        List.of(
            IndexSpec.of(BsonDocument.parse("{v: 2, key: {a: -1}, name: 'a_-1'}")),
            IndexSpec.of(BsonDocument.parse(UNIQUE_INDEX))));
    for (int id = 0; id < 20; id++) {
      insert("{_id: %d, a: %d, u: %d}".formatted(id, id, id));
    }
    var operations = new ArrayList<WriteOperation>();
    for (int id = 0; id < 10; id++) {
      operations.add(new WriteOperation.Delete(store, find(id)));
      operations.add(
          new WriteOperation.Replace(
              store, find(id + 10), raw("{_id: %d, a: 5000, u: %d}".formatted(id + 10, -id))));
    }
    for (int i = 0; i < 300; i++) {
      int id = 20 + i * 7 % 300; // in no order
      operations.add(
          new WriteOperation.Insert(
              store, raw("{_id: %d, a: [%d, 6000], u: %d}".formatted(id, id, 100 + id))));
    }
    Lane.await(
        engine.commit(
            new WriteBatch(operations, WriteBatch.OnFailure.APPLY_NONE), new WorkMeter()));

    for (int restart = 0; restart < 2; restart++) {
      assertThat(idsByIndex(things(), "_id_")).isEqualTo(IntStream.range(10, 320).boxed().toList());
      assertThat(idsByIndex(things(), "u_1"))
          .startsWith(19, 18, 17)
          .endsWith(318, 319)
          .hasSize(310);
      List<Integer> descending = idsByIndex(things(), "a_-1");
      assertThat(descending).hasSize(610).endsWith(22, 21, 20);
      assertThat(descending.subList(300, 310))
          .containsExactly(10, 11, 12, 13, 14, 15, 16, 17, 18, 19);
      assertThat(find(3)).isNull();
      assertThat(find(319).document().toBsonDocument().getInt32("u").getValue()).isEqualTo(419);
      assertThat(insert("{_id: 999, u: 419}").status()).isEqualTo(WriteOutcome.Status.DUPLICATE);
      assertThat(engine.validate(things())).isEmpty();
      reopen();
    }
  }

  @Test
  void aFailedUniqueBuildLeavesNoIndex() {
    create(null, 1);
    insert("{_id: 1, u: 1}");
    insert("{_id: 2, u: 1}");
    var specs = List.of(IndexSpec.of(BsonDocument.parse(UNIQUE_INDEX)));

    org.assertj.core.api.Assertions.assertThatThrownBy(() -> engine.createIndexes(things(), specs))
        .isInstanceOf(UniqueViolationException.class);

    assertThat(things().info().indexes()).hasSize(1);
    assertThat(insert("{_id: 3, u: 1}").isApplied()).isTrue();
    assertThat(engine.validate(things())).isEmpty();
  }

  @Test
  void aBuildThatIsStoppedLeavesNoIndex() {
    create(null, 1);
    for (int i = 0; i < 200; i++) {
      insert("{_id: %d, u: %d}".formatted(i, i));
    }
    var specs = List.of(IndexSpec.of(BsonDocument.parse(UNIQUE_INDEX)));
    var pauses = new java.util.concurrent.atomic.AtomicInteger();

    org.assertj.core.api.Assertions.assertThatThrownBy(
            () ->
                engine.createIndexes(
                    things(),
                    present -> specs,
                    () -> {
                      if (pauses.incrementAndGet() == 2) {
                        throw new IllegalStateException("stop");
                      }
                    }))
        .hasMessage("stop");

    assertThat(things().info().indexes()).hasSize(1);
    assertThat(insert("{_id: 1000, u: 1}").isApplied()).isTrue();
    assertThat(engine.validate(things())).isEmpty();
  }

  @Test
  void countsAreExactPerPartitionAndPerKey() {
    create("p", 2);
    long bytes = 0;
    for (int i = 0; i < 50; i++) {
      String json = "{_id: %d, p: '%s'}".formatted(i, i < 20 ? "a" : "b" + i);
      bytes += raw(json).length();
      insert(json);
    }
    var ofA = things().statisticsOf(RawValue.of(new BsonString("a")));

    assertThat(ofA.documents()).isEqualTo(20);
    assertThat(ofA.bytes()).isEqualTo(20L * raw("{_id: 1, p: 'a'}").length());
    assertThat(things().partitions().stream().mapToLong(p -> p.statistics().bytes()).sum())
        .isEqualTo(bytes);
    assertThat(things().partitions().stream().mapToLong(p -> p.statistics().keys()).sum())
        .isEqualTo(31);
  }

  @Test
  void aPartitionsShareOfTheThroughputGoesToItsSuccessors() {
    create("p", 1);
    var throughput = BsonDocument.parse("{unitsPerSecond: {$numberLong: '9000'}}");
    throughput.append("shares", new BsonDocument("0", new BsonInt64(4001)));
    engine.update(things(), info -> info.withThroughput(throughput));

    engine.split(things(), 0, "1" + "0".repeat(31));
    assertThat(things().info().throughput().get("shares"))
        .isEqualTo(BsonDocument.parse("{'1': {$numberLong: '2000'}, '2': {$numberLong: '2001'}}"));
    engine.merge(things(), 1, 2);
    assertThat(things().info().throughput().get("shares"))
        .isEqualTo(BsonDocument.parse("{'3': {$numberLong: '4001'}}"));
  }

  @Test
  void everythingIsThereAfterARestart() {
    create("p", 3);
    engine.createIndexes(things(), List.of(IndexSpec.of(BsonDocument.parse(UNIQUE_INDEX))));
    for (int i = 0; i < 300; i++) {
      insert("{_id: %d, p: 'k%d', u: %d}".formatted(i, i % 10, i));
    }
    engine.putSetting("user", BsonDocument.parse("{_id: 'admin.x', secret: 1}"));
    reopen();

    assertThat(scan(things())).hasSize(300);
    assertThat(things().info().readyIndexes()).hasSize(2);
    assertThat(insert("{_id: 1000, p: 'k1', u: 1}").isApplied()).isFalse();
    assertThat(engine.settings("user")).hasSize(1);
    assertThat(engine.validate(things())).isEmpty();
  }

  @Test
  void collectionsAreCreatedRenamedAndDropped() {
    create(null, 1);
    assertThat(create(null, 1)).isNull();
    insert("{_id: 1}");
    var renamed = new Namespace("db2", "others");

    assertThat(engine.rename(things(), things().info().namespace(), renamed, false)).isTrue();
    assertThat(things()).isNull();
    assertThat(scan(engine.find(renamed))).hasSize(1);
    assertThat(engine.drop(engine.find(renamed))).isTrue();
    assertThat(engine.collections()).isEmpty();
    reopen();
    assertThat(engine.collections()).isEmpty();
  }

  @Test
  void documentsFromFiveBytesUpToSixteenMegabytesAreKept() {
    create(null, 1);
    var large = new BsonDocument("_id", new BsonInt32(1));
    large.append("x", new BsonString("x".repeat((16 << 20) - 100)));
    commit(new WriteOperation.Insert(things(), RawDocument.of(large)));
    insert("{_id: {}}");
    reopen();

    assertThat(find(1).document().toBsonDocument()).isEqualTo(large);
    assertThat(scan(things())).hasSize(2);
  }
}
