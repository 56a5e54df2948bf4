package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What is written down of operations: the profile, the log of slow ones, and top. */
class ProfileTest {
  private TestServer server;
  private MongoClient client;
  private MongoDatabase database;

  @BeforeEach
  void start() throws IOException {
    server = TestServer.start("--slowms=1000000");
    client = server.client("", "appName=profiled");
    database = client.getDatabase("test");
    database
        .getCollection("c")
        .insertMany(List.of(Document.parse("{_id: 1, a: 5}"), Document.parse("{_id: 2}")));
    database.getCollection("c").createIndex(new Document("a", 1));
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private Document run(String command) {
    return database.runCommand(Document.parse(command));
  }

  private List<Document> profile(String filter) {
    return database
        .getCollection("system.profile")
        .find(Document.parse(filter))
        .into(new ArrayList<>());
  }

  @Test
  void levelTwoWritesEverythingDown() {
    assertThat(run("{profile: 2}").getInteger("was")).isZero();
    database.getCollection("c").find(new Document("a", 5)).first();
    database
        .getCollection("c")
        .updateMany(new Document(), new Document("$set", new Document("b", 1)));
    database.getCollection("c").deleteOne(new Document("_id", 2));
    assertThat(run("{profile: 0}").getInteger("was")).isEqualTo(2);
    database.getCollection("c").find(new Document("a", 6)).first();

    Document find = profile("{op: 'query', ns: 'test.c'}").get(0);
    assertThat(find)
        .containsEntry("keysExamined", 1)
        .containsEntry("docsExamined", 1)
        .containsEntry("nreturned", 1)
        .containsEntry("cursorExhausted", true)
        .containsEntry("planSummary", "IXSCAN { a: 1 }")
        .containsEntry("client", "127.0.0.1")
        .containsEntry("appName", "profiled")
        .containsEntry("user", "")
        .containsEntry("protocol", "op_msg")
        .containsKeys("millis", "ts", "responseLength", "execStats", "allUsers");
    assertThat(find.get("command", Document.class)).containsEntry("find", "c");
    assertThat(find.getDouble("requestCharge")).isPositive();
    Document update = profile("{op: 'update'}").get(0);
    assertThat(update)
        .containsEntry("docsExamined", 2)
        .containsEntry("nMatched", 2)
        .containsEntry("nModified", 2)
        .containsEntry("planSummary", "COLLSCAN");
    assertThat(profile("{op: 'remove'}").get(0)).containsEntry("ndeleted", 1);
    assertThat(profile("{op: 'query', 'command.filter.a': 6}")).isEmpty();
    Document listed =
        database.listCollections().filter(new Document("name", "system.profile")).first();
    assertThat(listed.get("options", Document.class))
        .containsEntry("capped", true)
        .containsEntry("size", 1 << 20);
  }

  @Test
  void levelOneWritesDownWhatIsSlow() {
    run("{profile: 1}");
    database.getCollection("c").find(new Document("a", 5)).first();
    assertThat(run("{profile: 1, slowms: 0}").getInteger("slowms")).isEqualTo(1_000_000);
    database.getCollection("c").find(new Document("a", 6)).first();
    run("{profile: 1, sampleRate: 0}");
    database.getCollection("c").find(new Document("a", 7)).first();
    assertThat(run("{profile: -1}"))
        .containsEntry("was", 1)
        .containsEntry("slowms", 0)
        .containsEntry("sampleRate", 0.0);
    assertThat(profile("{op: 'query', ns: 'test.c'}"))
        .extracting(each -> each.get("command", Document.class).get("filter", Document.class))
        .containsExactly(new Document("a", 6));
  }

  @Test
  void ofALargeRequestTheProfileTellsLess() {
    run("{profile: 2}");
    var clauses = new StringBuilder();
    for (int i = 0; i < 20_000; i++) {
      clauses.append("{a: ").append(i).append(", b: 1},");
    }
    run("{find: 'c', filter: {$or: [" + clauses + "{a: -1}]}}");
    run("{profile: 0}");
    assertThat(profile("{op: 'query', truncated: true, execStats: {$exists: false}}")).hasSize(1);
  }

  /** What the thread has allocated that writes requests down. */
  private static long journalBytes() {
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("journal"))
        .mapToLong(thread -> threads.getThreadAllocatedBytes(thread.getId()))
        .sum();
  }

  @Test
  void toWriteALargeRequestDownTakesLittleMemory() {
    run("{profile: 2, slowms: 0}");
    var values = IntStream.range(0, 100_000).mapToObj(i -> new Document("x", i)).toList();
    var filter = new Document("$nor", List.of(new Document("b", new Document("$eq", values))));
    var find = new Document("find", "c").append("filter", filter).append("comment", "large");
    long before = journalBytes();
    database.runCommand(find);
    assertThat(journalBytes() - before).isBetween(1L, 8L << 20);
    run("{profile: 0, slowms: 1000000}");
    Document entry = profile("{op: 'query', 'command.comment': 'large'}").get(0);
    assertThat(entry).containsEntry("planSummary", "COLLSCAN").containsEntry("truncated", true);
    assertThat(entry.get("command", Document.class).getString("$truncated"))
        .startsWith("{ find: \"c\", filter: { $nor: [ { b: { $eq: [ { x: 0 }, { x: 1 }");
  }

  @Test
  void aFilterThatNeverEndsHoldsUpNoReply() {
    run(
        """
        {profile: 1, filter: {$expr: {$gt: [{$size: {$map: {input: {$range: [0, 1000000]}, as: 'x',
          in: {$size: {$map: {input: {$range: [0, 1000000]}, as: 'y', in: '$$x'}}}}}}, 0]}}}""");
    for (int i = 0; i < 5; i++) {
      run("{find: 'c', filter: {a: 1}, maxTimeMS: 20000}");
    }
    assertThat(run("{profile: 0, filter: 'unset'}").getInteger("was")).isEqualTo(1);
    assertThat(profile("{}")).isEmpty();
  }

  @Test
  void aFilterDecidesInThePlaceOfSlowness() {
    run("{profile: 1, filter: {'command.filter.a': {$gt: 5}}}");
    database.getCollection("c").find(new Document("a", 5)).first();
    database.getCollection("c").find(new Document("a", 6)).first();
    Document was = run("{profile: 1, filter: 'unset'}");
    assertThat(was.get("filter")).isEqualTo(Document.parse("{'command.filter.a': {$gt: 5}}"));
    assertThat(was.getString("note")).startsWith("When a filter expression is set");
    database.getCollection("c").find(new Document("a", 7)).first();
    assertThat(profile("{op: 'query', ns: 'test.c'}")).hasSize(1);
  }

  @Test
  void failuresAreProfiledWithTheirError() {
    run("{profile: 2}");
    try {
      run("{find: 'c', filter: {$foo: 1}}");
    } catch (MongoCommandException expected) {
      // it is looked for below
    }
    assertThat(profile("{errName: 'BadValue'}").get(0))
        .containsEntry("errCode", 2)
        .containsEntry("ok", 0.0);
  }

  @Test
  void theProfileIsDroppedWhenNothingIsWrittenToIt() {
    run("{profile: 1}");
    assertThatThrownBy(() -> run("{drop: 'system.profile'}"))
        .isInstanceOfSatisfying(
            MongoCommandException.class,
            e -> {
              assertThat(e.getErrorCode()).isEqualTo(20);
              assertThat(e.getErrorMessage())
                  .isEqualTo("turn off profiling before dropping system.profile collection");
            });
    run("{profile: 0}");
    assertThat(run("{drop: 'system.profile'}").getString("ns")).isEqualTo("test.system.profile");
    run("{profile: 2}");
    run("{dropDatabase: 1}");
    assertThat(client.listDatabaseNames()).doesNotContain("test");
    assertThat(run("{profile: -1}").getInteger("was")).isZero();
  }

  @Test
  void slowOperationsAreLoggedAsJson() {
    var logger = (Logger) LoggerFactory.getLogger("dev.orrery.slow");
    var lines = new ListAppender<ILoggingEvent>();
    Level before = logger.getLevel();
    logger.setLevel(Level.INFO);
    logger.addAppender(lines);
    lines.start();
    try {
      run("{profile: 0, slowms: 0}");
      database.getCollection("c").find(new Document("b", 5)).comment("here").first();
      run("{profile: 0, slowms: 1000000}");
    } finally {
      logger.detachAppender(lines);
      logger.setLevel(before);
    }
    Document line =
        lines.list.stream()
            .map(event -> Document.parse(event.getFormattedMessage()))
            .filter(each -> each.get("attr", Document.class).getString("ns").equals("test.c"))
            .findFirst()
            .orElseThrow();
    assertThat(line.keySet()).containsExactly("t", "s", "c", "id", "ctx", "msg", "attr");
    assertThat(line)
        .containsEntry("s", "I")
        .containsEntry("c", "COMMAND")
        .containsEntry("id", 51803)
        .containsEntry("msg", "Slow query");
    assertThat(line.get("attr", Document.class))
        .containsEntry("type", "command")
        .containsEntry("appName", "profiled")
        .containsEntry("planSummary", "COLLSCAN")
        .containsEntry("docsExamined", 2)
        .containsEntry("nreturned", 0)
        .containsEntry("partitionsVisited", 1)
        .containsKeys("durationMillis", "requestCharge", "remote", "reslen");
    assertThat(line.toJson()).contains("\"comment\": \"here\"");
  }

  @Test
  void topCountsTheUsesOfEachCollection() {
    database.getCollection("c").find().first();
    database.getCollection("c").countDocuments();
    database.getCollection("missing").find().first();
    Document totals =
        client
            .getDatabase("admin")
            .runCommand(new Document("top", 1))
            .get("totals", Document.class);
    assertThat(totals).containsKeys("note", "test.c").doesNotContainKey("test.missing");
    Document uses = totals.get("test.c", Document.class);
    assertThat(uses.keySet())
        .containsExactly(
            "total",
            "readLock",
            "writeLock",
            "queries",
            "getmore",
            "insert",
            "update",
            "remove",
            "commands");
    assertThat(uses.get("queries", Document.class).getLong("count")).isEqualTo(1);
    assertThat(uses.get("insert", Document.class).getLong("count")).isEqualTo(1);
    assertThat(uses.get("commands", Document.class).getLong("count")).isEqualTo(2);
    assertThat(uses.get("readLock", Document.class).getLong("count")).isEqualTo(2);
    assertThat(uses.get("total", Document.class).getLong("count")).isEqualTo(4);
    assertThat(uses.get("insert", Document.class).getLong("time")).isPositive();
  }
}
