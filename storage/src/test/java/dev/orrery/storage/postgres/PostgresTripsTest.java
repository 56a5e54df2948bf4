package dev.orrery.storage.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.storage.Fetch;
import dev.orrery.storage.IndexCursor;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How often the database is asked, and what becomes of keys that no B-tree takes. */
final class PostgresTripsTest {
  private final OneServer server = new OneServer(TestPostgres.freshSchema());

  @AfterEach
  void close() {
    server.close();
  }

  private long trips(Supplier<?> work) {
    long before = server.engine.roundTrips();
    work.get();
    return server.engine.roundTrips() - before;
  }

  private static void read(PartitionStore partition, IndexCursor cursor, int count) {
    var fetch = new Fetch(count);
    var meter = new WorkMeter();
    while (!fetch.isFull() && cursor.awaitNext(meter)) {
      fetch.add(cursor.recordId());
    }
    Lane.await(partition.fetch(fetch, meter));
    for (int i = 0; i < fetch.size(); i++) {
      assertThat(fetch.take(i)).isNotNull();
    }
  }

  @Test
  void mostThingsTakeOneQuestion() {
    server.stopUpkeep();
    server.create("p", 2);
    IndexSpec index = IndexSpec.of(BsonDocument.parse("{v: 2, key: {v: 1}, name: 'v_1'}"));
    server.engine.createIndexes(server.things(), List.of(index));
    for (int i = 0; i < 20; i++) {
      server.insert("{_id: %d, p: 'a', v: %d}".formatted(i, i));
    }
    RawValue key = RawValue.of(new BsonString("a"));
    PartitionStore partition = server.things().partitionOf(key);

    assertThat(trips(() -> server.find(key, 7))).isEqualTo(1);
    assertThat(trips(() -> server.insert("{_id: 100, p: 'a', v: 100}"))).isEqualTo(1);
    assertThat(trips(() -> server.insert("{_id: 100, p: 'a', v: 100}"))).isEqualTo(1);
    assertThat(trips(() -> insertMany(100))).isEqualTo(1);
    assertThat(
            trips(
                () -> {
                  read(partition, partition.scan(index, IndexRange.all(false)), 15);
                  return null;
                }))
        .isEqualTo(1);
    assertThat(trips(() -> update(partition, index))).isEqualTo(2);
  }

  private WriteOutcome insertMany(int count) {
    var operations = new ArrayList<WriteOperation>();
    for (int i = 0; i < count; i++) {
      operations.add(
          new WriteOperation.Insert(
              server.things(), OneServer.raw("{_id: %d, p: 'a', v: 7}".formatted(1000 + i))));
    }
    return server.commit(new WriteBatch(operations, WriteBatch.OnFailure.APPLY_NONE)).get(0);
  }

  /** By a filter that an index answers. */
  private WriteOutcome update(PartitionStore partition, IndexSpec index) {
    IndexCursor cursor = partition.scan(index, IndexRange.all(true));
    assertThat(cursor.awaitNext(new WorkMeter())).isTrue();
    StoredDocument found = Lane.await(partition.read(cursor.recordId(), new WorkMeter()));
    BsonDocument after = found.document().toBsonDocument().append("new", new BsonInt32(1));
    return server
        .commit(
            WriteBatch.of(
                new WriteOperation.Replace(server.things(), found, RawDocument.of(after))))
        .get(0);
  }

  @Test
  void keysLongerThanARowOfABTreeKeepTheirOrderAndStayUnique() {
    server.create(null, 1);
    IndexSpec index =
        IndexSpec.of(BsonDocument.parse("{v: 2, key: {t: 1}, name: 't_1', unique: true}"));
    server.engine.createIndexes(server.things(), List.of(index));
    var random = new Random(5);
    var model = new TreeMap<String, Integer>();
    for (int id = 0; id < 150; id++) {
      int length = random.nextInt(3) * 1000 + 990 + random.nextInt(60);
      String text = "x".repeat(length) + (char) ('a' + random.nextInt(26));
      WriteOutcome outcome = server.insert("{_id: %d, t: '%s'}".formatted(id, text));
      assertThat(outcome.isApplied()).isEqualTo(!model.containsKey(text));
      model.putIfAbsent(text, id);
    }
    assertThat(server.byIndex(index, IndexRange.all(false))).isEqualTo(List.copyOf(model.values()));
    assertThat(server.byIndex(index, IndexRange.all(true)))
        .isEqualTo(List.copyOf(model.descendingMap().values()));
    var middle = new ArrayList<>(model.keySet()).get(model.size() / 2);
    byte[] bound = server.key(index, "{t: '%s'}".formatted(middle));
    var below = new IndexRange(null, true, bound, false, false);
    assertThat(server.byIndex(index, below)).isEqualTo(List.copyOf(model.headMap(middle).values()));
    var from = new IndexRange(bound, true, null, true, true);
    assertThat(server.byIndex(index, from))
        .isEqualTo(List.copyOf(model.tailMap(middle, true).descendingMap().values()));
    assertThat(server.engine.validate(server.things())).isEmpty();
  }
}
