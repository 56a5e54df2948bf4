package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import dev.orrery.server.transfer.AdviseCommandLine;
import dev.orrery.server.transfer.ExportCommandLine;
import dev.orrery.server.transfer.source.Console;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bson.Document;
import org.bson.types.Binary;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code advisePartitionKey} and {@code orrery advise}. */
final class AdviseTest {
  @TempDir private Path directory;
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  private record Ended(int code, String text) {}

  private Ended advise(String... arguments) {
    var out = new ByteArrayOutputStream();
    int code = new AdviseCommandLine(console(out)).run(arguments);
    return new Ended(code, out.toString(StandardCharsets.UTF_8));
  }

  private Console console(ByteArrayOutputStream out) {
    return new Console(
        InputStream.nullInputStream(), new PrintStream(out), new PrintStream(errors), false);
  }

  /** A thousand orders, recorded: customers read theirs. */
  private static void record(MongoClient client) {
    MongoDatabase admin = client.getDatabase("admin");
    MongoCollection<Document> orders = client.getDatabase("shop").getCollection("orders");
    var many = new ArrayList<Document>();
    for (int i = 0; i < 1_000; i++) {
      many.add(new Document("_id", i).append("customer", "c" + i % 100).append("state", i % 3));
    }
    orders.insertMany(many);
    admin.runCommand(Document.parse("{recordWorkload: 'start', name: 'w'}"));
    for (int i = 0; i < 200; i++) {
      orders.find(Filters.eq("customer", "c" + i % 100)).into(new ArrayList<>());
      client.getDatabase("shop").getCollection("other").insertOne(new Document());
    }
    admin.runCommand(Document.parse("{recordWorkload: 'stop'}"));
  }

  private static Document advise(MongoClient client, String fields) {
    return client
        .getDatabase("shop")
        .runCommand(Document.parse("{advisePartitionKey: 'orders', " + fields + "}"));
  }

  @Test
  void theCommandJudgesACollectionByARecordedWorkload() throws Exception {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      record(client);
      Document advice = advise(client, "workload: 'w', candidates: ['nowhere']");
      assertThat(advice.getString("best")).isEqualTo("customer");
      Document sample = advice.get("sample", Document.class);
      assertThat(sample.getLong("documents")).isEqualTo(1_000);
      assertThat(sample.getLong("requests")).isEqualTo(200);
      List<Document> candidates = advice.getList("candidates", Document.class);
      assertThat(candidates.get(0).get("shardCollection", Document.class))
          .isEqualTo(Document.parse("{key: {customer: 'hashed'}}"));
      assertThat(candidates.get(0).get("values", Document.class).getLong("distinct"))
          .isEqualTo(100);
      Document nowhere =
          candidates.stream()
              .filter(each -> each.getString("name").equals("nowhere"))
              .findFirst()
              .orElseThrow();
      assertThat(nowhere.getList("problems", String.class).get(0))
          .startsWith("1,000 documents lack");

      assertThatThrownBy(() -> advise(client, "workload: 'x'"))
          .hasMessageContaining("there is no workload 'x'");
      assertThatThrownBy(() -> advise(client, "workload: '../w'"))
          .hasMessageContaining("is no name of a workload");
      assertThatThrownBy(() -> advise(client, "workload: 'w', partitions: 1000"))
          .hasMessageContaining("up to 64 partitions");
      assertThatThrownBy(
              () ->
                  client
                      .getDatabase("shop")
                      .runCommand(Document.parse("{advisePartitionKey: 'none', workload: 'w'}")))
          .hasMessageContaining("NamespaceNotFound");
    }
  }

  @Test
  void theCommandLineReadsAServerOrADumpAndWritesMarkdownOrJson() throws Exception {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      record(client);
      Document part =
          client
              .getDatabase("admin")
              .runCommand(Document.parse("{recordWorkload: 'read', name: 'w'}"));
      String file = directory.resolve("w").toString();
      Files.write(Path.of(file), part.get("data", Binary.class).getData());
      String uri = "mongodb://127.0.0.1:" + server.port();

      Ended markdown = advise("--uri", uri, "--workload", file, "--ns", "shop.orders");
      assertThat(markdown.code).as("%s", errors).isZero();
      assertThat(markdown.text)
          .startsWith("# Partition key: customer\n")
          .contains("| customer | yes |")
          .contains("It has only 3 values: no more than 3 partitions can ever share the work.")
          .contains("request units over time");

      String dump = directory.resolve("dump").toString();
      var unused = new ByteArrayOutputStream();
      assertThat(
              new ExportCommandLine(console(unused), "1").run(dump, "--uri", uri, "--db", "shop"))
          .as("%s", errors)
          .isZero();
      Ended json = advise(dump, "--workload", file, "--ns", "shop.orders", "--json");
      assertThat(json.code).as("%s", errors).isZero();
      Document advice = Document.parse(json.text);
      assertThat(advice.getString("best")).isEqualTo("customer");
      assertThat(advice.get("sample", Document.class).get("documents", Number.class).intValue())
          .isEqualTo(1_000);

      assertThat(advise("--uri", uri, "--workload", file).code).isEqualTo(2);
      assertThat(advise("--workload", file, "--ns", "shop.orders").code).isEqualTo(2);
      assertThat(advise("--uri", uri, "--workload", file, "--ns", "shop.none").code).isEqualTo(1);
      assertThat(errors.toString(StandardCharsets.UTF_8)).contains("there are no documents");
    }
  }
}
