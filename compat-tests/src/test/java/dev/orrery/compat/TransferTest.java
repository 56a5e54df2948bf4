package dev.orrery.compat;

import static dev.orrery.compat.TransferData.STRANGE_NAME;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

final class TransferTest {
  private static final int DOCUMENTS = 100_000;

  @RegisterExtension private static final SharedServer server = new SharedServer();
  private static MongoClient client;

  @TempDir private Path directory;

  @BeforeAll
  static void start() {
    client = MongoClients.create(server.uri());
    new TransferData(client).create(DOCUMENTS);
  }

  @AfterAll
  static void stop() {
    client.close();
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
  void aPackedArchiveGoesThroughAPipeAndComparesEqual() throws Exception {
    try (var fresh = PackagedServer.ephemeral();
        var other = MongoClients.create(fresh.uri())) {
      var export =
          command(
              "export", "--uri", server.uri(), "--archive", "--gzip", "--nsExclude=shop.customers");
      var restore = command("import", "--uri", fresh.uri(), "--archive", "--gzip");
      for (Process process : ProcessBuilder.startPipeline(List.of(quiet(export), quiet(restore)))) {
        assertThat(process.waitFor()).isZero();
      }
      var comparison = new ServerComparison(client, other);
      for (String name : List.of("orders", "log", "empty", "named", STRANGE_NAME)) {
        comparison.assertSame("shop", name);
      }
      assertThat(comparison.assertSame("other")).isEqualTo(3);
    }
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
    while (process.isAlive() && admitted(target::estimatedDocumentCount) < 50) {
      Thread.sleep(20);
    }
    process.destroyForcibly().waitFor();
    assertThat(admitted(target::countDocuments)).isBetween(50L, documents - 1L);
    client
        .getDatabase("test")
        .runCommand(
            Document.parse(
                "{customAction: 'UpdateCollection', collection: 'slow', offerThroughput: 10000}"));
    run(arguments.toArray(String[]::new));
    assertThat(admitted(target::countDocuments)).isEqualTo(documents);
    assertThat(admitted(() -> target.distinct("n", Integer.class).into(new HashSet<>()).size()))
        .isEqualTo(documents);
    assertThat(state).doesNotExist();
  }

  /** Asks until there are request units for the question. */
  private static long admitted(LongSupplier question) throws InterruptedException {
    while (true) {
      try {
        return question.getAsLong();
      } catch (MongoCommandException e) {
        assertThat(e.getErrorCode()).isEqualTo(16500);
        Thread.sleep(20);
      }
    }
  }

  private static void run(String... arguments) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command(arguments)).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
  }

  private static List<String> command(String... arguments) {
    var command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", // short runs, and the machine has more to do
                "-XX:+UseSerialGC",
                "-jar",
                Path.of("..", "server", "target", "orrery.jar").toString()));
    command.addAll(List.of(arguments));
    return command;
  }

  private static ProcessBuilder quiet(List<String> command) {
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
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
