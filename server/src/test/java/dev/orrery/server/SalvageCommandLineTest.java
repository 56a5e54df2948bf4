package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import dev.orrery.storage.PrivateFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bson.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a server with data over damage and a salvage to a new server with the same data. */
@Tag("embedded") // looks into files
final class SalvageCommandLineTest {
  private static final int DOCUMENTS = 300;

  @TempDir private Path root;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private Path data() {
    return root.resolve("data");
  }

  private Path target() {
    return root.resolve("dump");
  }

  private int run(String... arguments) {
    out.reset();
    err.reset();
    var main =
        new Main(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8));
    return main.run(Map.of(), arguments);
  }

  private int salvage() {
    return run("salvage", "--data", data().toString(), "--out", target().toString());
  }

  private String said() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String complained() {
    return err.toString(StandardCharsets.UTF_8);
  }

  private void fill() throws IOException {
    try (var server = TestServer.start("--data=" + data());
        MongoClient client = server.client("", "")) {
      server.createRoot();
      MongoDatabase shop = client.getDatabase("shop");
      client
          .getDatabase("admin")
          .runCommand(Document.parse("{shardCollection: 'shop.orders', key: {'c.id': 'hashed'}}"));
      MongoCollection<Document> orders = shop.getCollection("orders");
      orders.insertMany(documents());
      orders.createIndex(Document.parse("{v: -1}"));
      orders.deleteMany(Document.parse("{v: {$lt: 10}}"));
      orders.updateMany(Document.parse("{v: {$gt: 290}}"), Document.parse("{$set: {late: true}}"));
      shop.createCollection("capped", capped());
      shop.getCollection("capped").insertOne(Document.parse("{_id: 1}"));
      shop.createView("view", "orders", List.of(Document.parse("{$match: {late: true}}")));
    }
  }

  private static com.mongodb.client.model.CreateCollectionOptions capped() {
    return new com.mongodb.client.model.CreateCollectionOptions().capped(true).sizeInBytes(4096);
  }

  private static List<Document> documents() {
    var documents = new ArrayList<Document>();
    for (int i = 0; i < DOCUMENTS; i++) {
      documents.add(
          new Document("_id", i)
              .append("c", new Document("id", i % 7))
              .append("v", i)
              .append("x", "filling-" + i + "x".repeat(i)));
    }
    return documents;
  }

  private void damage(String word) throws IOException {
    byte[] wanted = word.getBytes(StandardCharsets.UTF_8);
    try (Stream<Path> files = Files.list(data().resolve("log"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".log")).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int at = text.indexOf(new String(wanted, StandardCharsets.ISO_8859_1));
        if (at >= 0) {
          bytes[at] ^= 1;
          Files.write(file, bytes);
        }
      }
    }
  }

  private Map<String, Object> read(MongoClient client) {
    MongoDatabase shop = client.getDatabase("shop");
    var all = new TreeMap<String, Object>();
    for (String name : List.of("orders", "capped", "view")) {
      all.put(
          name,
          shop.getCollection(name).find().sort(Document.parse("{_id: 1}")).into(new ArrayList<>()));
    }
    for (String name : List.of("orders", "capped")) {
      all.put(name + ".indexes", shop.getCollection(name).listIndexes().into(new ArrayList<>()));
    }
    return all;
  }

  private Map<String, Object> readFrom(String... arguments) throws IOException {
    try (var server = TestServer.start(arguments);
        MongoClient client = server.client("", "")) {
      return read(client);
    }
  }

  @Test
  void whatCanBeReadIsCopiedAndImportedAgain() throws IOException {
    fill();
    Map<String, Object> before = readFrom("--data=" + data());
    damage("filling-150");
    assertThat(salvage()).isEqualTo(Main.FAILED);
    assertThat(said())
        .contains("shop.orders: 289 documents, 1 lost")
        .contains("shop.view: 0 documents")
        .contains("admin.root")
        .contains("1 places could not be read.");
    assertThat(complained())
        .containsPattern("\\.log at offset \\d+, \\d+ bytes: bad checksum")
        .contains("probably of shop.orders");
    assertThat(target().resolve(SalvageCommandLine.REPORT)).content().contains("unreadable: ");
    assertThat(PrivateFiles.isOpenToOthers(target())).isFalse();
    try (var server = TestServer.start();
        MongoClient client = server.client("", "")) {
      String uri = "mongodb://127.0.0.1:" + server.port();
      assertThat(run("import", "--uri", uri, target().toString())).as(complained()).isZero();
      Map<String, Object> after = read(client);
      @SuppressWarnings("unchecked")
      var orders = (List<Document>) before.get("orders");
      orders.removeIf(order -> order.getInteger("_id") == 150);
      assertThat(after).isEqualTo(before);
      Document partitions =
          client.getDatabase("shop").runCommand(Document.parse("{listPartitions: 'orders'}"));
      assertThat(partitions.toJson()).contains("c.id");
    }
  }

  @Test
  void aSoundStoreIsCopiedWhole() throws IOException {
    fill();
    assertThat(salvage()).as(complained()).isZero();
    assertThat(said()).contains("everything could be read.");
  }

  @Test
  void aStoreInUseIsRefused() throws IOException {
    try (var server = TestServer.start("--data=" + data())) {
      assertThat(server.port()).isPositive();
      assertThat(salvage()).isEqualTo(Main.FAILED);
      assertThat(complained()).contains("is in use by another Orrery server");
    }
  }

  @Test
  void theTargetMustBeNewAndElsewhere() throws IOException {
    fill();
    Files.createDirectories(target().resolve("something"));
    assertThat(salvage()).isEqualTo(Main.FAILED);
    assertThat(complained()).contains(target() + " is not empty");
    Path inside = data().resolve("dump");
    assertThat(run("salvage", "--data", data().toString(), "--out", inside.toString()))
        .isEqualTo(Main.FAILED);
    assertThat(complained()).contains("is inside the data directory");
    assertThat(run("salvage", "--data", root.toString(), "--out", target().toString()))
        .isEqualTo(Main.FAILED);
    assertThat(complained()).contains("holds no store");
    assertThat(run("salvage", "--data", data().toString())).isEqualTo(Main.MISUSED);
    assertThat(run("salvage", "--help")).isZero();
    assertThat(said()).contains("--out=<dir>", "Nothing in the store is changed");
  }
}
