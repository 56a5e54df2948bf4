package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoCursorNotFoundException;
import com.mongodb.MongoException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoWriteException;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import java.io.IOException;
import java.util.Date;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Faults of parts of a collection, of cursors, and of the whole server, as a driver sees them. */
final class ServerFaultsTest {
  private static TestServer server;
  private static MongoClient client;
  private static MongoDatabase shop;
  private static MongoDatabase admin;
  private static MongoCollection<Document> orders;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start("--test-commands");
    client = server.client("", "retryWrites=false&retryReads=false");
    shop = client.getDatabase("shop");
    admin = client.getDatabase("admin");
    orders = shop.getCollection("orders");
  }

  @AfterAll
  static void stop() {
    client.close();
    server.close();
  }

  @BeforeEach
  void fill() {
    orders.drop();
    admin.runCommand(Document.parse("{shardCollection: 'shop.orders', key: {k: 'hashed'}}"));
    orders.insertMany(IntStream.range(0, 50).mapToObj(ServerFaultsTest::order).toList());
  }

  private static Document order(int i) {
    return new Document("_id", i).append("k", i);
  }

  @AfterEach
  void clear() {
    admin.runCommand(new Document("clearFaults", 1));
  }

  @Test
  void oneKeyIsThrottledAndItsNeighboursAreNot() {
    inject("{injectFault: 'hot', collection: 'orders', key: 7, millis: 21}");
    assertThat(orders.find(order(8)).first()).isNotNull();
    assertRefused(() -> orders.find(order(7)).first(), 21);
    assertRefused(() -> orders.countDocuments(new Document("k", 7)), 21);
    assertRefused(() -> orders.updateOne(order(7), Document.parse("{$set: {a: 1}}")), 21);
    assertThat(orders.deleteOne(order(9)).getDeletedCount()).isEqualTo(1);
    assertThatThrownBy(
            () -> orders.insertMany(List.of(order(100), new Document("k", 7), order(101))))
        .isInstanceOfSatisfying(
            MongoBulkWriteException.class,
            refused -> {
              assertThat(refused.getWriteErrors()).hasSize(1);
              assertThat(refused.getWriteErrors().get(0).getIndex()).isEqualTo(1);
              assertThat(refused.getWriteErrors().get(0).getCode()).isEqualTo(16500);
            });
    admin.runCommand(new Document("clearFaults", "hot"));
    assertThat(orders.find(order(7)).first()).isNotNull();
  }

  @Test
  void onePartitionIsThrottledAndItsNeighbourIsNot() {
    shop.runCommand(Document.parse("{splitPartition: 'orders', partition: 0}"));
    int hot = partitionOf(0);
    int cold = IntStream.range(1, 50).filter(i -> partitionOf(i) != hot).findFirst().orElseThrow();
    inject("{injectFault: 'hot', collection: 'orders', partition: " + hot + ", millis: 5}");
    assertThat(orders.find(order(cold)).first()).isNotNull();
    assertRefused(() -> orders.find(order(0)).first(), 5);
    assertRefused(() -> orders.countDocuments(new Document("a", 1)), 5);
  }

  private static int partitionOf(int key) {
    return shop.runCommand(new Document("partitionOf", "orders").append("key", key))
        .getInteger("partition");
  }

  private static void assertRefused(Runnable request, int millis) {
    assertThatThrownBy(request::run)
        .isInstanceOf(MongoException.class)
        .hasMessageContaining("RetryAfterMs=" + millis)
        .extracting(failure -> ((MongoException) failure).getCode())
        .isEqualTo(16500);
  }

  @Test
  void anyCodeAndLabelsAreAnswered() {
    inject(
        "{injectFault: 'lost', fault: 'fail', commands: ['insert'], times: 1, code: 112,"
            + " errorLabels: ['TransientTransactionError', 'Mine'], errmsg: 'all is lost'}");
    assertThatThrownBy(() -> orders.insertOne(order(60)))
        .isInstanceOfSatisfying(
            MongoException.class,
            failure -> {
              assertThat(failure.getCode()).isEqualTo(112);
              assertThat(failure.getMessage()).contains("all is lost", "WriteConflict");
              assertThat(failure.getErrorLabels())
                  .containsExactlyInAnyOrder("TransientTransactionError", "Mine");
            });
    orders.insertOne(order(60));
  }

  @Test
  void everyThirdWriteSplitsAndMergingUndoesIt() {
    inject("{injectFault: 'grow', fault: 'split', collection: 'orders', every: 3}");
    for (int i = 0; i < 7; i++) {
      orders.insertOne(order(200 + i));
      assertThat(partitions()).isEqualTo(1 + (i + 1) / 3);
    }
    assertThat(orders.countDocuments()).isEqualTo(57);
    inject("{injectFault: 'grow', fault: 'merge', collection: 'orders', times: 2}");
    for (int i = 0; i < 4; i++) {
      orders.updateOne(order(i), Document.parse("{$set: {a: 1}}"));
    }
    assertThat(partitions()).isEqualTo(1);
    assertThat(orders.countDocuments(new Document("a", 1))).isEqualTo(4);
  }

  private static int partitions() {
    Document reply = shop.runCommand(new Document("listPartitions", "orders"));
    return reply.getList("partitions", Document.class).size();
  }

  @Test
  void aCursorExpires() {
    inject("{injectFault: 'late', fault: 'expireCursor', collection: 'orders', times: 1}");
    try (MongoCursor<Document> some = orders.find().batchSize(10).iterator()) {
      assertThatThrownBy(
              () -> {
                while (some.hasNext()) {
                  some.next();
                }
              })
          .isInstanceOf(MongoCursorNotFoundException.class);
    }
    assertThat(orders.find().batchSize(10).into(new java.util.ArrayList<>())).hasSize(50);
  }

  @Test
  void whoStepsDownRefusesAndComesBack() {
    Document before = admin.runCommand(new Document("hello", 1));
    inject("{injectFault: 'away', fault: 'stepDown', millis: 600000}");
    assertThatThrownBy(() -> orders.insertOne(order(70)))
        .isInstanceOfAny(MongoNotPrimaryException.class, MongoException.class)
        .hasMessageContaining("not primary");
    assertThat(read(ReadPreference.secondary())).isEqualTo(50);
    Document away = hello();
    assertThat(away.getBoolean("isWritablePrimary")).isFalse();
    assertThat(away.getBoolean("secondary")).isTrue();
    assertThat(away).doesNotContainKeys("primary", "electionId");
    adminOfSecondary().runCommand(new Document("clearFaults", "away"));
    Document after = hello();
    assertThat(after.getBoolean("isWritablePrimary")).isTrue();
    assertThat(counter(after)).isEqualTo(counter(before) + 2);
    assertThat(after.getObjectId("electionId")).isGreaterThan(before.getObjectId("electionId"));
    orders.insertOne(order(70));
  }

  private static long read(ReadPreference preference) {
    return orders.withReadPreference(preference).countDocuments();
  }

  private static MongoDatabase adminOfSecondary() {
    return admin.withReadPreference(ReadPreference.secondaryPreferred());
  }

  private static Document hello() {
    return adminOfSecondary().runCommand(new Document("hello", 1), ReadPreference.nearest());
  }

  private static long counter(Document hello) {
    return hello.get("topologyVersion", Document.class).getLong("counter");
  }

  /** No request is lost, and none is done twice, when the primary is away for a while. */
  @Test
  void retryableWritesWaitForThePrimaryToComeBack() {
    try (MongoClient retrying = server.client("", "retryWrites=true&replicaSet=globaldb")) {
      MongoCollection<Document> mine = retrying.getDatabase("shop").getCollection("orders");
      for (int i = 0; i < 4; i++) {
        inject("{injectFault: 'away', fault: 'stepDown', millis: 300}");
        mine.updateOne(order(1), Document.parse("{$inc: {n: 1}}"));
      }
      assertThat(mine.find(order(1)).first().getInteger("n")).isEqualTo(4);
    }
  }

  @Test
  @Tag("embedded") // another engine has no disk to fill
  @Tag("embedded") // other engines have no disk of their own
  void aFullDiskRefusesWhatGrowsAndLetsDelete() {
    inject("{injectFault: 'full', fault: 'fillDisk'}");
    assertThatThrownBy(() -> orders.insertOne(order(80)))
        .isInstanceOfAny(MongoWriteException.class, MongoCommandException.class)
        .extracting(failure -> ((MongoException) failure).getCode())
        .isEqualTo(14031);
    assertThat(orders.deleteOne(order(3)).getDeletedCount()).isEqualTo(1);
    assertThat(orders.countDocuments()).isEqualTo(49);
    admin.runCommand(new Document("clearFaults", "full"));
    orders.insertOne(order(80));
  }

  @Test
  @Tag("embedded") // another may say to look again, and one round is not enough
  void timeJumpsForWhatExpires() {
    MongoCollection<Document> carts = shop.getCollection("carts");
    carts.drop();
    carts.createIndex(
        Indexes.ascending("at"), new IndexOptions().expireAfter(3600L, TimeUnit.SECONDS));
    carts.insertOne(new Document("_id", 1).append("at", new Date()));
    long later = System.currentTimeMillis() + 7_200_000;
    carts.insertOne(new Document("_id", 2).append("at", new Date(later)));
    Document told = inject("{injectFault: 'later', fault: 'jumpTime', millis: 4000000}");
    assertThat(told.getLong("expired")).isEqualTo(1);
    assertThat(carts.find().first().getInteger("_id")).isEqualTo(2);
  }

  @Test
  void whatIsOrderedIsListed() {
    inject("{injectFault: 'b', collection: 'none'}");
    inject("{injectFault: 'a', fault: 'jumpTime', millis: 1}");
    assertThat(admin.runCommand(new Document("listFaults", 1)).getList("faults", Document.class))
        .containsExactly(
            Document.parse("{name: 'a', fault: 'jumpTime', struck: {$numberLong: '1'}}"),
            Document.parse("{name: 'b', fault: 'throttle', struck: {$numberLong: '0'}}"));
  }

  @Test
  void whatMakesNoSenseIsRefused() {
    for (String wrong :
        new String[] {
          "{injectFault: 'a', fault: 'fail'}",
          "{injectFault: 'a', fault: 'fail', code: -1}",
          "{injectFault: 'a', fault: 'fail', code: 1, errorLabels: [2]}",
          "{injectFault: 'a', code: 1}",
          "{injectFault: 'a', every: 0}",
          "{injectFault: 'a', fault: 'delay', key: 1}",
          "{injectFault: 'a', key: 1, commands: ['find']}",
          "{injectFault: 'a', fault: 'split', commands: ['find']}",
          "{injectFault: 'a', fault: 'stepDown', times: 3}",
          "{injectFault: 'a', fault: 'fillDisk', collection: 'orders'}",
        }) {
      assertThatThrownBy(() -> inject(wrong))
          .as(wrong)
          .isInstanceOfSatisfying(
              MongoCommandException.class, refused -> assertThat(refused.getCode()).isEqualTo(2));
    }
    assertThat(admin.runCommand(new Document("listFaults", 1)).getList("faults", Document.class))
        .isEmpty();
  }

  private static Document inject(String command) {
    return admin.runCommand(Document.parse(command), ReadPreference.primaryPreferred());
  }
}
