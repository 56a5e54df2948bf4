package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TransferTest {
  private static final int DOCUMENTS = 5_000;

  private static PackagedServer server;
  private static MongoClient client;

  @TempDir private Path directory;

  @BeforeAll
  static void start() {
    server = PackagedServer.ephemeral();
    client = MongoClients.create(server.uri());
    new TransferData(client).create(DOCUMENTS);
  }

  @AfterAll
  static void stop() {
    client.close();
    server.close();
  }

  @Test
  void aDumpDirectoryGoesToAFreshServerAndComparesEqual() throws Exception {
    Path dump = directory.resolve("dump");
    run("export", "--uri", server.uri(), "--out", dump.toString());
    assertThat(files(dump))
        .contains("shop/orders.bson", "shop/orders.metadata.json", "shop/large.metadata.json")
        .contains("shop/a%2Fb%20%25c%20%C3%BC.e.bson")
        .doesNotContain("shop/large.bson");
    try (var fresh = PackagedServer.ephemeral();
        var other = MongoClients.create(fresh.uri())) {
      run("import", "--uri", fresh.uri(), dump.toString());
      var comparison = new ServerComparison(client, other);
      long inViews = 2L * client.getDatabase("shop").getCollection("large").countDocuments();
      assertThat(comparison.assertSame("shop")).isEqualTo(DOCUMENTS + 1 + inViews);
      assertThat(comparison.assertSame("other")).isEqualTo(3);
    }
  }

  @Test
  void aPackedArchiveGoesFromStandardOutputToStandardInputAndComparesEqual() throws Exception {
    Path archive = directory.resolve("archive");
    List<String> export =
        command("export", "--uri", server.uri(), "--archive", "--gzip", "--nsExclude=shop.orders");
    var exporting = new ProcessBuilder(export).redirectOutput(archive.toFile());
    exporting.redirectError(ProcessBuilder.Redirect.INHERIT);
    assertThat(exporting.start().waitFor()).isZero();
    try (var fresh = PackagedServer.ephemeral();
        var other = MongoClients.create(fresh.uri())) {
      new TransferData(other).create(0);
      var importing =
          new ProcessBuilder(command("import", "--uri", fresh.uri(), "--archive", "--drop"));
      importing.redirectInput(archive.toFile()).inheritIO().redirectInput(archive.toFile());
      assertThat(importing.start().waitFor()).isZero();
      var orders = client.getDatabase("shop").getCollection("orders");
      assertThat(other.getDatabase("shop").getCollection("customers").countDocuments())
          .isEqualTo(client.getDatabase("shop").getCollection("customers").countDocuments());
      assertThat(orders.countDocuments()).isPositive();
      assertThat(new ServerComparison(client, other).assertSame("other")).isEqualTo(3);
    }
  }

  @Test
  void aCollectionGetsItsPartitionKeyItsUniqueKeyAndItsThroughputOnTheWay() throws Exception {
    Path file = directory.resolve("people.json");
    Files.writeString(
        file,
        """
        {"name": "a", "city": "x"}
        {"name": "b", "city": "x"}
        {"name": "a", "city": "y"}
        {"name": "a", "city": "x"}
        """);
    PackagedServer.Ended ended =
        PackagedServer.run(
            "import",
            "--uri=" + server.uri(),
            "--db=keyed",
            "--shard-key=city",
            "--unique=city,name",
            "--throughput=1000",
            file.toString());
    assertThat(ended.output())
        .contains("people.json, line 4: E11000 duplicate key")
        .contains("3 documents imported")
        .contains("1 documents or indexes failed");
    assertThat(ended.exitCode()).isEqualTo(1);
    Document settings =
        client
            .getDatabase("keyed")
            .runCommand(Document.parse("{customAction: 'GetCollection', collection: 'people'}"));
    assertThat(settings.toJson()).contains("\"city\"").contains("1000");
  }

  @Test
  void anImportThatWasKilledGoesOnAndWritesNothingTwice() throws Exception {
    int documents = 2_000;
    Path file = directory.resolve("slow.json");
    Files.write(
        file,
        Stream.iterate(0, i -> i + 1).limit(documents).map(i -> "{\"n\": " + i + "}").toList());
    Path state = directory.resolve("state");
    var arguments =
        List.of("import", "--uri=" + server.uri(), "--resume=" + state, file.toString());
    var first = new ArrayList<>(arguments);
    first.addAll(List.of("--throughput=400", "--batchSize=20"));
    Process process = new ProcessBuilder(command(first.toArray(String[]::new))).start();
    var target = client.getDatabase("test").getCollection("slow");
    while (process.isAlive() && target.estimatedDocumentCount() < 50) {
      Thread.sleep(20);
    }
    process.destroyForcibly().waitFor();
    assertThat(target.countDocuments()).isBetween(50L, documents - 1L);
    client
        .getDatabase("test")
        .runCommand(
            Document.parse(
                "{customAction: 'UpdateCollection', collection: 'slow', offerThroughput: 10000}"));
    run(arguments.toArray(String[]::new));
    assertThat(target.countDocuments()).isEqualTo(documents);
    assertThat(target.distinct("n", Integer.class).into(new ArrayList<>())).hasSize(documents);
    assertThat(state).doesNotExist();
  }

  @Test
  void aDryRunNeedsNoServerAndWritesNothing() throws Exception {
    Path dump = directory.resolve("dump");
    run("export", "--uri=" + server.uri(), "--db=shop", "--collection=orders", "--out=" + dump);
    PackagedServer.Ended ended =
        PackagedServer.run(
            "import",
            "--uri=mongodb://127.0.0.1:1/",
            "--dry-run",
            "--shard-key=customer",
            "--shard-key=created",
            dump.toString());
    assertThat(ended.output())
        .contains("shop.orders: 3,000 documents")
        .contains("shard key customer: 977 values")
        .contains("shard key created: about ")
        .contains("Nothing stands in the way.");
    assertThat(ended.exitCode()).isZero();
  }

  @Test
  void whoIsNotThereIsNamedAndWhatIsUnknownIsRefused() throws Exception {
    Path file = Files.writeString(directory.resolve("a.json"), "{}");
    PackagedServer.Ended nobody =
        PackagedServer.run(
            "import", "--uri=mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=300", file.toString());
    assertThat(nobody.output()).contains("There is no answer from [127.0.0.1:1]");
    assertThat(nobody.exitCode()).isEqualTo(1);
    PackagedServer.Ended unknown = PackagedServer.run("import", "--colection=x");
    assertThat(unknown.output()).contains("--colection").contains("Try orrery import --help.");
    assertThat(unknown.exitCode()).isEqualTo(2);
  }

  private static void run(String... arguments) throws IOException, InterruptedException {
    PackagedServer.Ended ended = PackagedServer.run(arguments);
    assertThat(ended.exitCode()).as(ended.output()).isZero();
  }

  private static List<String> command(String... arguments) {
    var command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-jar",
                Path.of("..", "server", "target", "orrery.jar").toString()));
    command.addAll(List.of(arguments));
    return command;
  }

  private static List<String> files(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> root.relativize(file).toString())
          .toList();
    }
  }
}
