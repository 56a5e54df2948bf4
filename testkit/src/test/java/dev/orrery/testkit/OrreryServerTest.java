package dev.orrery.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Indexes;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.Test;

/** A server in this process, which was started without any flag for it. */
class OrreryServerTest {
  /** Far more than an index of a server of its own keeps on the heap. */
  private static final int MANY = 30_000;

  private static final int RESETS = 60;

  @Test
  void severalServersRunSideBySideAndKnowNothingOfEachOther() {
    try (Orrery one = Orrery.start();
        Orrery other = Orrery.start()) {
      one.client().getDatabase("shop").getCollection("a").insertOne(new Document("_id", 1));
      assertThat(one.port()).isNotEqualTo(other.port());
      assertThat(other.client().getDatabase("shop").getCollection("a").countDocuments()).isZero();
      assertThat(one.client().getDatabase("shop").getCollection("a").countDocuments()).isEqualTo(1);
    }
  }

  @Test
  void keysStayOnTheHeapHoweverManyThereAre() {
    try (Orrery server = Orrery.start()) {
      MongoCollection<Document> orders =
          server.client().getDatabase("shop").getCollection("orders");
      orders.createIndex(Indexes.ascending("number"), unique());
      for (int from = 0; from < MANY; from += 5_000) {
        orders.insertMany(documents(from, from + 5_000));
      }
      assertThat(orders.countDocuments(Filters.in("_id", 0, 17_000, MANY - 1, MANY))).isEqualTo(3);
      assertThat(orders.deleteMany(Filters.lt("_id", MANY / 2)).getDeletedCount())
          .isEqualTo(MANY / 2);
      orders.insertMany(documents(0, 10));
      assertThatThrownBy(() -> orders.insertOne(new Document("_id", "x").append("number", 3)))
          .hasMessageContaining("E11000");
      assertThat(orders.countDocuments()).isEqualTo(MANY / 2 + 10);
    }
  }

  private static com.mongodb.client.model.IndexOptions unique() {
    return new com.mongodb.client.model.IndexOptions().unique(true);
  }

  private static List<Document> documents(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(i -> new Document("_id", i).append("number", i))
        .toList();
  }

  @Test
  void aResetLeavesNothingAndTakesNoTime() {
    try (Orrery server = Orrery.start()) {
      var millis = new ArrayList<Double>();
      var cpuMillis = new ArrayList<Double>();
      for (int round = 0; round < RESETS; round++) {
        MongoDatabase shop = server.client().getDatabase("shop");
        for (int i = 0; i < 20; i++) {
          shop.getCollection("c" + i).insertOne(new Document("_id", i));
        }
        long start = System.nanoTime();
        long startCpu = cpuNanos();
        server.reset();
        cpuMillis.add((cpuNanos() - startCpu) / 1e6);
        millis.add((System.nanoTime() - start) / 1e6);
        assertThat(shop.listCollectionNames()).isEmpty();
      }
      millis.sort(null);
      cpuMillis.sort(null);
      System.out.printf(
          "A reset with 20 collections took %.1f ms, of which %.1f ms of a processor (medians)%n",
          millis.get(RESETS / 2), cpuMillis.get(RESETS / 2));
      assertThat(millis.get(0)).isLessThan(200); // the machine may be busy
    }
  }

  /** Of all threads, also those that compile: a busy machine changes it little. */
  private static long cpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  @Test
  void whatIsSpentIsCountedByDatabase() {
    try (Orrery server = Orrery.start()) {
      MongoDatabase shop = server.client().getDatabase("shop");
      Spending spending = server.count(shop);
      shop.getCollection("a").insertOne(new Document("_id", 1));
      server.client().getDatabase("other").getCollection("a").insertOne(new Document("_id", 1));
      Spending.Spent spent = spending.end();
      assertThat(spent.requests()).isEqualTo(1);
      assertThat(spent.units()).isBetween(5.0, 6.0);
      assertThat(spent.dearest()).contains("insert a");
      assertThatThrownBy(spending::end).isInstanceOf(IllegalStateException.class);

      Spending more = server.count(shop);
      shop.getCollection("a").insertOne(new Document("_id", 2));
      assertThatThrownBy(() -> more.requireAtMost(2))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("1 requests cost 5.14 RU, more than 2.00; the dearest:");
    }
  }

  @Test
  void optionsAreThoseOfTheCommandLine() {
    var cosmos = OrreryOptions.defaults().withProfile("extended").withProfile("cosmos");
    assertThat(cosmos.arguments()).containsExactly("--profile=cosmos");
    try (Orrery server = Orrery.start(cosmos)) {
      assertThatThrownBy(
              () -> server.client().getDatabase("shop").runCommand(Document.parse("{profile: 0}")))
          .isInstanceOf(MongoCommandException.class)
          .hasMessageContaining("Command profile not supported");
    }
    assertThatThrownBy(() -> Orrery.start(OrreryOptions.defaults().with("--prot=1")))
        .hasMessageContaining("unknown option --prot=1");
  }
}
