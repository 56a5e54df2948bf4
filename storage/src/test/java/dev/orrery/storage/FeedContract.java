package dev.orrery.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.orrery.lane.Lane;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;

/** What the feed of changes of any engine must tell. */
public abstract class FeedContract extends StorageFixture {
  private static final int BYTES = 1 << 16;

  @Test
  void changesComeInTheirOrderWithWhatWasSaidOfThem() {
    create("p", 4);
    Changes changes = engine.changes().after(engine.changes().newest());
    insert("{_id: 1, p: 'a', v: 1}");
    commit(
        new WriteOperation.Replace(
            things(), find("a", 1), raw("{_id: 1, p: 'a', v: 2}"), raw("{u: {v: 2}}")));
    commit(new WriteOperation.Replace(things(), find("a", 1), raw("{_id: 1, p: 'a'}")));
    commit(new WriteOperation.Delete(things(), find("a", 1)));

    assertThat(told(changes))
        .containsExactly(
            "INSERT db.things {\"_id\": 1, \"p\": \"a\", \"v\": 1} null null",
            "REPLACE db.things {\"_id\": 1, \"p\": \"a\", \"v\": 2} {\"u\": {\"v\": 2}} null",
            "REPLACE db.things {\"_id\": 1, \"p\": \"a\"} null null",
            "DELETE db.things {\"p\": \"a\", \"_id\": 1} null null");
    assertThat(told(changes)).isEmpty();
  }

  @Test
  void whoWantsSomeDocumentsOnlyHearsOfThemAtTheirPlaces() {
    create("p", 4);
    ChangeFeed feed = engine.changes();
    ChangeFeed.Interest some = (collection, document) -> document.field("p").asString().equals("a");
    Changes all = feed.after(feed.newest());
    Changes narrow = feed.after(feed.newest(), some);
    insert("{_id: 1, p: 'b'}");
    var operations = new ArrayList<WriteOperation>();
    operations.add(new WriteOperation.Insert(things(), raw("{_id: 2, p: 'b'}")));
    operations.add(new WriteOperation.Insert(things(), raw("{_id: 2, p: 'a'}")));
    Lane.await(
        engine.commit(
            new WriteBatch(operations, WriteBatch.OnFailure.APPLY_NONE), new WorkMeter()));

    settle();
    List<CommittedGroup> wanted = Lane.await(narrow.next(BYTES));
    List<CommittedGroup> everything = Lane.await(all.next(BYTES));
    CommittedGroup last = wanted.get(wanted.size() - 1);
    assertThat(told(last.changes().get(1)))
        .startsWith("INSERT db.things {\"_id\": 2, \"p\": \"a\"");
    assertThat(last.time()).isEqualTo(everything.get(everything.size() - 1).time());
    assertThat(narrow.time()).isEqualTo(all.time());
  }

  @Test
  void aBatchIsOneGroupWithOneTime() {
    create(null, 1);
    Changes changes = engine.changes().after(engine.changes().newest());
    var operations = new ArrayList<WriteOperation>();
    for (int id = 0; id < 3; id++) {
      operations.add(new WriteOperation.Insert(things(), raw("{_id: " + id + "}")));
    }
    var batch = new WriteBatch(operations, WriteBatch.OnFailure.APPLY_NONE);
    CommitResult result = Lane.await(engine.commit(batch, new WorkMeter()));
    Lane.await(result.receipt().whenDurable());

    List<CommittedGroup> groups = Lane.await(changes.next(BYTES));

    assertThat(groups).hasSize(1);
    assertThat(groups.get(0).changes()).hasSize(3);
    assertThat(groups.get(0).time()).isEqualTo(result.receipt().time());
    assertThat(changes.time()).isEqualTo(result.receipt().time());
  }

  /** Whether transactions are told step by step, and not by what they came to. */
  protected boolean tellsSteps() {
    return true;
  }

  @Test
  void aTransactionTellsItsChangesOneByOne() {
    assumeTrue(tellsSteps());
    create("p", 4);
    insert("{_id: 1, p: 'a'}");
    ChangeFeed.Interest some = (collection, document) -> document.field("p").asString().equals("a");
    Changes all = engine.changes().after(engine.changes().newest());
    Changes narrow = engine.changes().after(engine.changes().newest(), some);
    try (Transaction transaction = engine.begin(0)) {
      write(transaction, new WriteOperation.Insert(things(), raw("{_id: 2, p: 'b'}")));
      write(transaction, set(transaction, "a", 1, "{_id: 1, p: 'a', v: 1}", "{i: {v: 1}}"));
      write(transaction, set(transaction, "a", 1, "{_id: 1, p: 'a', v: 2}", "{u: {v: 2}}"));
      write(transaction, new WriteOperation.Delete(things(), seen(transaction, "b", 2)));
      Lane.await(transaction.commit(List::of, new WorkMeter()));
    }
    settle();
    List<String> told = told(all);
    assertThat(told)
        .containsExactly(
            "INSERT db.things {\"_id\": 2, \"p\": \"b\"} null null",
            "REPLACE db.things {\"_id\": 1, \"p\": \"a\", \"v\": 1} {\"i\": {\"v\": 1}} null",
            "REPLACE db.things {\"_id\": 1, \"p\": \"a\", \"v\": 2} {\"u\": {\"v\": 2}} null",
            "DELETE db.things {\"p\": \"b\", \"_id\": 2} null null");
    List<CommittedGroup> wanted = Lane.await(narrow.next(BYTES));
    assertThat(told(wanted.get(0).changes().get(2))).isEqualTo(told.get(2));
    assertThat(find("b", 2)).isNull();
    assertThat(find("a", 1).document()).isEqualTo(raw("{_id: 1, p: 'a', v: 2}"));
  }

  private static void write(Transaction transaction, WriteOperation operation) {
    CommitResult result = transaction.write(WriteBatch.of(operation), new WorkMeter());
    assertThat(result.outcomes().get(0).isApplied()).isTrue();
  }

  private WriteOperation set(
      Transaction transaction, String key, int id, String after, String delta) {
    return new WriteOperation.Replace(things(), seen(transaction, key, id), raw(after), raw(delta));
  }

  private StoredDocument seen(Transaction transaction, String key, int id) {
    RawValue value = RawValue.of(new BsonString(key));
    byte[] primaryKey = things().primaryKey(value, RawValue.of(new BsonInt32(id)));
    return Lane.await(transaction.partitionOf(things(), value).find(primaryKey, new WorkMeter()));
  }

  @Test
  void aCollectionThatKeepsImagesTellsWhatWasThereBefore() {
    create(null, 1);
    engine.update(
        things(),
        info ->
            info.withOptions(
                new BsonDocument(
                    CollectionInfo.IMAGES, new BsonDocument("enabled", BsonBoolean.TRUE))));
    Changes changes = engine.changes().after(engine.changes().newest());
    insert("{_id: 1, v: 1}");
    commit(new WriteOperation.Replace(things(), find(1), raw("{_id: 1, v: 2}")));
    commit(new WriteOperation.Delete(things(), find(1)));

    assertThat(told(changes))
        .containsExactly(
            "INSERT db.things {\"_id\": 1, \"v\": 1} null null",
            "REPLACE db.things {\"_id\": 1, \"v\": 2} null {\"_id\": 1, \"v\": 1}",
            "DELETE db.things {\"_id\": 1} null {\"_id\": 1, \"v\": 2}");
  }

  @Test
  void aTransactionIsOneGroupAndKeepsWhatWasSaidOfASingleChange() {
    create(null, 1);
    insert("{_id: 1, v: 1}");
    insert("{_id: 2, v: 1}");
    Changes changes = engine.changes().after(engine.changes().newest());
    try (Transaction transaction = engine.begin(0)) {
      var operations = new ArrayList<WriteOperation>();
      for (int id = 1; id <= 2; id++) {
        String after = "{_id: %d, v: 2}".formatted(id);
        operations.add(
            new WriteOperation.Replace(things(), find(id), raw(after), raw("{u: {v: 2}}")));
      }
      transaction.write(
          new WriteBatch(operations, WriteBatch.OnFailure.APPLY_NONE), new WorkMeter());
      assertThat(told(changes)).isEmpty();
      CommitResult result = Lane.await(transaction.commit(List::of, new WorkMeter()));
      Lane.await(result.receipt().whenDurable());
    }

    List<CommittedGroup> groups = awaitNext(changes);
    assertThat(groups).hasSize(1);
    assertThat(told(groups.get(0)))
        .containsExactlyInAnyOrder(
            "REPLACE db.things {\"_id\": 1, \"v\": 2} {\"u\": {\"v\": 2}} null",
            "REPLACE db.things {\"_id\": 2, \"v\": 2} {\"u\": {\"v\": 2}} null");
  }

  @Test
  void whatHappensToCollectionsStandsBetweenWhatHappensInThem() {
    create(null, 1);
    Changes changes = engine.changes().after(0);
    insert("{_id: 1}");
    CollectionStore collection = things();
    engine.rename(collection, NAMESPACE, new Namespace("db", "others"), false);
    commit(new WriteOperation.Insert(collection, raw("{_id: 2}")));
    engine.announce(BsonDocument.parse("{hello: 1}"));
    engine.drop(collection);

    List<String> expected =
        List.of(
            "null -> db.things",
            "INSERT db.things {\"_id\": 1} null null",
            "db.things -> db.others",
            "INSERT db.others {\"_id\": 2} null null",
            "{\"hello\": 1}",
            "db.others -> null");
    assertThat(told(changes)).isEqualTo(expected);
    reopen();
    assertThat(told(engine.changes().after(0))).isEqualTo(expected);
  }

  @Test
  void whoResumesAtAnyTimeMissesNothingAndSeesNothingTwice() {
    create("p", 2);
    for (int id = 0; id < 20; id++) {
      insert("{_id: " + id + ", p: 'k" + id % 5 + "'}");
      if (id == 10) {
        int partition = things().partitions().get(0).id();
        engine.split(things(), partition, "0FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF");
      }
    }
    var all = new TreeMap<Long, List<String>>();
    Changes changes = engine.changes().after(0);
    for (var groups = awaitNext(changes); !groups.isEmpty(); groups = awaitNext(changes)) {
      groups.forEach(group -> all.put(group.time(), told(group)));
    }
    reopen();

    for (long time : all.keySet()) {
      List<String> rest = all.tailMap(time, false).values().stream().flatMap(List::stream).toList();
      assertThat(told(engine.changes().after(time))).isEqualTo(rest);
    }
  }

  @Test
  void aFollowerThatAppliesEverythingHasWhatTheCollectionHas() {
    create(null, 1);
    engine.createIndexes(things(), List.of(IndexSpec.of(BsonDocument.parse(INDEX))));
    var copy = new TreeMap<Integer, BsonDocument>();
    Changes changes = engine.changes().after(0);
    var random = new Random(19);
    for (int step = 0; step < 300; step++) {
      int id = random.nextInt(20);
      StoredDocument present = find(id);
      if (present == null) {
        insert("{_id: " + id + ", step: " + step + "}");
      } else if (random.nextInt(3) == 0) {
        commit(new WriteOperation.Delete(things(), present));
      } else {
        String body = "{_id: " + id + ", step: " + step + "}";
        commit(new WriteOperation.Replace(things(), present, raw(body)));
      }
      if (random.nextInt(10) == 0) {
        apply(changes, copy);
      }
    }
    settle();
    apply(changes, copy);

    assertThat(copy.values()).containsExactlyInAnyOrderElementsOf(scan(things()));
  }

  private static final String INDEX = "{v: 2, key: {step: 1}, name: 'step'}";

  private static void apply(Changes changes, TreeMap<Integer, BsonDocument> copy) {
    for (var groups = awaitNext(changes); !groups.isEmpty(); groups = awaitNext(changes)) {
      for (CommittedGroup group : groups) {
        for (Change change : group.changes()) {
          if (change instanceof Change.OfDocument one) {
            int id = one.document().field("_id").asInt32();
            if (one.kind() == Change.Kind.DELETE) {
              copy.remove(id);
            } else {
              copy.put(id, one.document().toBsonDocument());
            }
          }
        }
      }
    }
  }

  @Test
  void whoListensIsToldOfACommit() throws InterruptedException {
    create(null, 1);
    var told = new CountDownLatch(1);
    ChangeFeed.Subscription subscription = engine.changes().listen(told::countDown);
    try {
      insert("{_id: 1}");
      assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
    } finally {
      subscription.close();
    }
  }

  private void settle() {
    Lane.await(engine.receipt().whenDurable());
  }

  private static List<CommittedGroup> awaitNext(Changes changes) {
    return Lane.await(changes.next(BYTES));
  }

  /** All that is there, told in one line each. */
  protected List<String> told(Changes changes) {
    settle();
    var told = new ArrayList<String>();
    for (var groups = awaitNext(changes); !groups.isEmpty(); groups = awaitNext(changes)) {
      groups.forEach(group -> told.addAll(told(group)));
    }
    return told;
  }

  private static List<String> told(CommittedGroup group) {
    return group.changes().stream().map(FeedContract::told).toList();
  }

  private static String told(Change change) {
    if (change instanceof Change.OfDocument one) {
      return "%s %s %s %s %s"
          .formatted(
              one.kind(),
              one.collection().namespace(),
              one.document().toBsonDocument().toJson(),
              one.image().delta() == null ? null : one.image().delta().toBsonDocument().toJson(),
              one.image().before() == null ? null : one.image().before().toBsonDocument().toJson());
    } else if (change instanceof Change.OfStructure structure) {
      return name(structure.before()) + " -> " + name(structure.after());
    }
    return change instanceof Change.Announcement announcement
        ? announcement.document().toJson()
        : "UNWANTED";
  }

  private static Namespace name(CollectionInfo info) {
    return info == null ? null : info.namespace();
  }
}
