package dev.orrery.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.benchmarks.client.Messages;
import dev.orrery.benchmarks.client.Traffic;
import dev.orrery.benchmarks.ycsb.Mix;
import dev.orrery.benchmarks.ycsb.Records;
import dev.orrery.benchmarks.ycsb.UniformKeys;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

/** What the loads send, decoded again. */
class TrafficTest {
  private static final int COUNT = 100;

  @Test
  void readsAskForOneRecordByItsKey() {
    BsonDocument find = next(ycsb(Mix.C, new AtomicLong(COUNT)), 0);
    assertThat(find.getString("find").getValue()).isEqualTo(YcsbTraffic.COLLECTION);
    assertThat(keys()).contains(find.getDocument("filter").getString("_id").getValue());
    assertThat(find.getString("$db").getValue()).isEqualTo(Loading.DATABASE);
  }

  @Test
  void updatesSetOneFieldOfARecord() {
    BsonDocument update = next(ycsb(new Mix(0, 1, 0, 0), new AtomicLong(COUNT)), 0);
    BsonDocument statement = update.getArray("updates").get(0).asDocument();
    assertThat(keys()).contains(statement.getDocument("q").getString("_id").getValue());
    BsonDocument set = statement.getDocument("u").getDocument("$set");
    assertThat(set.getFirstKey()).matches("field\\d");
    assertThat(set.getString(set.getFirstKey()).getValue()).hasSize(Records.FIELD_CHARACTERS);
  }

  @Test
  void insertsAddTheNextRecord() {
    var records = new AtomicLong(COUNT);
    BsonDocument insert = next(ycsb(new Mix(0, 0, 0, 0), records), 0);
    BsonDocument document = insert.getArray("documents").get(0).asDocument();
    assertThat(document.getString("_id").getValue()).isEqualTo(Records.key(COUNT));
    assertThat(records).hasValue(COUNT + 1);
  }

  @Test
  void scansReadUpTo100InOrder() {
    BsonDocument scan = next(ycsb(new Mix(0, 0, 1, 0), new AtomicLong(COUNT)), 0);
    assertThat(scan.getInt32("limit").getValue()).isBetween(1, 100);
    assertThat(keys())
        .contains(scan.getDocument("filter").getDocument("_id").getString("$gte").getValue());
    assertThat(scan.getDocument("sort")).isEqualTo(BsonDocument.parse("{_id: 1}"));
  }

  @Test
  void aConnectionThatReadToModifyWritesTheSameRecordNext() {
    Traffic traffic = ycsb(new Mix(0, 0, 0, 1), new AtomicLong(COUNT));
    BsonDocument read = next(traffic, 1);
    assertThat(next(traffic, 0).getFirstKey()).isEqualTo("find");
    BsonDocument update = next(traffic, 1);
    assertThat(update.getArray("updates").get(0).asDocument().getDocument("q"))
        .isEqualTo(read.getDocument("filter"));
    assertThat(next(traffic, 1).getFirstKey()).isEqualTo("find");
  }

  @Test
  void bulkInsertsNeverRepeatAKeyAndVaryTheIndexedFields() {
    var traffic = new BulkTraffic("bulk", 3);
    Set<BsonValue> keys = new HashSet<>();
    Set<BsonValue> indexed = new HashSet<>();
    for (int i = 0; i < 4; i++) {
      for (BsonValue document : next(traffic, 0).getArray("documents")) {
        keys.add(document.asDocument().get("_id"));
        BulkTraffic.INDEXED.forEach(field -> indexed.add(document.asDocument().get(field)));
      }
    }
    assertThat(keys).hasSize(12);
    assertThat(indexed).hasSize(36);
    assertThat(BulkTraffic.documentBytes()).isBetween(1200, 1300);
  }

  @Test
  void retryableInsertsNumberTheWritesOfEachSession() {
    var traffic = new RetryableTraffic("c", 2, true);
    BsonDocument first = next(traffic, 0);
    BsonDocument second = next(traffic, 0);
    BsonDocument other = next(traffic, 1);
    assertThat(second.get("lsid")).isEqualTo(first.get("lsid")).isNotEqualTo(other.get("lsid"));
    assertThat(first.getDocument("lsid").getBinary("id").asUuid()).isNotNull();
    assertThat(first.getInt64("txnNumber").getValue()).isEqualTo(1);
    assertThat(second.getInt64("txnNumber").getValue()).isEqualTo(2);
    assertThat(other.getInt64("txnNumber").getValue()).isEqualTo(1);
    assertThat(first.get("documents")).isNotEqualTo(second.get("documents"));
    assertThat(next(new RetryableTraffic("c", 2, false), 0))
        .doesNotContainKeys("lsid", "txnNumber");
  }

  @Test
  void rangesHaveTheirWidth() {
    Steady steady = Queries.finds().steady("index range of 100", 1000);
    BsonDocument range =
        next(steady.traffic().apply(null), 0).getDocument("filter").getDocument("number");
    int from = range.getInt32("$gte").getValue();
    assertThat(from).isBetween(0, 899);
    assertThat(range.getInt32("$lt").getValue()).isEqualTo(from + 100);
  }

  private static Traffic ycsb(Mix mix, AtomicLong records) {
    var random = new SplittableRandom(4);
    return new YcsbTraffic(mix, new UniformKeys(random), records, 2, random);
  }

  private static Set<String> keys() {
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < COUNT; i++) {
      keys.add(Records.key(i));
    }
    return keys;
  }

  private static BsonDocument next(Traffic traffic, int connection) {
    var message = ByteBuffer.allocate(traffic.messageBytes()).order(ByteOrder.LITTLE_ENDIAN);
    traffic.next(connection, message);
    return Messages.decode(message.flip());
  }
}
