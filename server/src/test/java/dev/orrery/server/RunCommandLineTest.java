package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RunCommandLineTest {
  private static final String FIND = "find orders filter {customer: ?}";

  @TempDir private Path directory;

  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  void theCommandFindsTheServerAndItsExitCodeIsOurs() throws Exception {
    Path seen = directory.resolve("seen");
    String script =
        "echo $MONGODB_URI $MONGO_URL $COSMOSDB_CONNECTION_STRING $ORRERY_URI > '%s'; exit 7"
            .formatted(seen);
    assertThat(run("--", "sh", "-c", script)).isEqualTo(7);
    String[] uris = Files.readString(seen).strip().split(" ");
    assertThat(uris).hasSize(4);
    assertThat(Arrays.stream(uris).distinct())
        .singleElement()
        .asString()
        .matches("mongodb://127\\.0\\.0\\.1:[1-9][0-9]*/");
    assertThat(text(err))
        .isEqualTo("orrery run: 0.00 RU in 0 requests, 0 throttled; the command ended with 7\n");

    String other = "test -n \"$SHOP_DB\" -a -z \"$MONGO_URL\"";
    assertThat(run("--env", "SHOP_DB", "--quiet", "--", "sh", "-c", other)).isZero();
  }

  @Test
  void whatMakesNoSenseIsSaid() {
    assertThat(run("--budgets", "none.json")).isEqualTo(2);
    assertThat(text(err)).contains("no command: it stands behind --");
    assertThat(run("--record-budgets", "--", "true")).isEqualTo(2);
    assertThat(run("--report", "report.pdf", "--", "true")).isEqualTo(2);
    assertThat(run("--budgets", directory.resolve("none.json").toString(), "--", "true"))
        .isEqualTo(2);
    assertThat(text(err)).contains("--record-budgets makes one");
    assertThat(run("--prot", "1", "--", "true")).isEqualTo(2);
    assertThat(text(err)).contains("unknown option");
    assertThat(run("--", "/no/such/command")).isEqualTo(127);
    assertThat(text(err)).contains("/no/such/command cannot be started");
  }

  @Test
  void theSummaryAndTheReportsTellWhatWasSpent() throws Exception {
    Path json = directory.resolve("report.json");
    Path markdown = directory.resolve("report.md");
    Path junit = directory.resolve("report.xml");
    assertThat(
            shop(
                List.of(
                    "--report", json.toString(),
                    "--report", markdown.toString(),
                    "--report", junit.toString()),
                "9"))
        .isEqualTo(9);
    assertThat(text(err))
        .contains("3 requests, 0 throttled; the command ended with 9")
        .contains("3 x  shop.orders")
        .contains("1 x  " + FIND)
        .containsPattern("RU  aggregate orders pipeline \\[\\{\\$bucket: .*COLLSCAN")
        .contains("used here, not on Cosmos DB for MongoDB 7.0")
        .contains("shop.orders (stages): Unrecognized pipeline stage name: '$bucket'")
        .contains("1 x  shop.orders (retryable-writes): Retryable writes are not supported.");
    BsonDocument report = BsonDocument.parse(Files.readString(json));
    assertThat(report.getInt32("exitCode").getValue()).isEqualTo(9);
    assertThat(report.getNumber("requests").intValue()).isEqualTo(3);
    assertThat(report.getArray("shapes")).hasSize(3);
    assertThat(report.getArray("comments").get(0).asDocument().getString("name").getValue())
        .isEqualTo("checkout");
    assertThat(report.getArray("applications").get(0).asDocument().getString("name").getValue())
        .isEqualTo("shopper");
    assertThat(Files.readString(markdown)).contains("| `" + FIND + "` |").contains("`COLLSCAN`");
    assertThat(Files.readString(junit))
        .contains("tests=\"1\" failures=\"1\"")
        .contains("<failure message=\"the command ended with 9\">");
  }

  @ParameterizedTest
  @ValueSource(strings = {"budgets.json", "budgets.yaml"})
  void aLostIndexExceedsWhatWasRecordedUntilItIsAccepted(String file) throws Exception {
    Path budgets = directory.resolve(file);
    List<String> given = List.of("--budgets", budgets.toString());
    assertThat(shop(List.of("--budgets", budgets.toString(), "--record-budgets"), "index"))
        .isZero();
    assertThat(shop(given, "index")).isZero();
    assertThat(text(err)).contains("all 3 budgets are kept");

    Path junit = directory.resolve("report.xml");
    var reported = new ArrayList<>(given);
    reported.addAll(List.of("--report", junit.toString()));
    assertThat(shop(reported)).isEqualTo(3);
    assertThat(text(err))
        .contains("shape " + FIND + " costs ")
        .contains(
            "RU, more than 3.56: it reads the whole collection, where it used IXSCAN { customer: 1 }: an index is"
                + " lost");
    assertThat(Files.readString(junit)).contains("failures=\"1\"");

    assertThat(shop(List.of("--budgets", budgets.toString(), "--update"))).isZero();
    assertThat(shop(given)).isZero();
  }

  @Test
  void limitsAreOfRunsCollectionsApplicationsAndComments() throws Exception {
    Path budgets = directory.resolve("budgets.json");
    Files.writeString(
        budgets,
        """
        {run: 1e6, collections: {'*.orders': 5, 'shop.orders': 1e6}, applications: {shopper: 4},
         comments: {checkout: 0.5, other: 1}, shapes: {'find orders filter {customer: ?}': 0.25}}
        """);
    assertThat(shop(List.of("--budgets", budgets.toString()))).isEqualTo(3);
    assertThat(text(err))
        .contains("collection *.orders costs ")
        .contains("application shopper costs ")
        .contains("comment checkout costs ")
        .contains("shape find orders filter {customer: ?} costs ")
        .doesNotContain("shop.orders costs")
        .doesNotContain("comment other costs")
        .doesNotContain("run  costs");
    Files.writeString(budgets, "{limit: 5}");
    assertThat(run("--budgets", budgets.toString(), "--", "true")).isEqualTo(2);
    assertThat(text(err)).contains("it has 'limit', but only these are known: applications, ");
    Files.writeString(budgets, "{run: 'much'}");
    assertThat(run("--budgets", budgets.toString(), "--", "true")).isEqualTo(2);
  }

  @Test
  void budgetsMayBeYaml() throws Exception {
    Path budgets = directory.resolve("budgets.yml");
    Files.writeString(
        budgets,
        """
        # what a test run may cost
        tolerance: 0.2
        collections:
          "*.orders": 5
        shapes:
          "find orders filter {customer: ?}": 1_000
          'count orders query {}': 3
        """);
    assertThat(shop(List.of("--budgets", budgets.toString()))).isEqualTo(2);
    assertThat(text(err)).contains("'find orders filter {customer: ?}' needs a number");
    Files.writeString(budgets, Files.readString(budgets).replace("1_000", "1000"));
    assertThat(shop(List.of("--budgets", budgets.toString()))).isEqualTo(3);
    assertThat(text(err))
        .contains("collection *.orders costs ")
        .doesNotContain("shape find orders filter {customer: ?} costs");
    for (String wrong : new String[] {"run: [", "- run", "run: much", "limit: 5"}) {
      Files.writeString(budgets, wrong);
      assertThat(run("--budgets", budgets.toString(), "--", "true")).as(wrong).isEqualTo(2);
    }
  }

  @Test
  void whoEndsTheRunEndsTheCommandAndGetsItsExitCode() throws Exception {
    Path pid = directory.resolve("pid");
    String script = "trap 'exit 5' TERM; echo $$ > '%s'; while :; do sleep 0.05; done";
    Process process =
        java("dev.orrery.server.Main", "run", "--", "sh", "-c", script.formatted(pid)).start();
    try {
      for (int i = 0; i < 1200 && (!Files.exists(pid) || Files.size(pid) == 0); i++) {
        TimeUnit.MILLISECONDS.sleep(50);
      }
      long child = Long.parseLong(Files.readString(pid).strip());
      process.toHandle().destroy();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(5);
      assertThat(ProcessHandle.of(child).filter(ProcessHandle::isAlive)).isEmpty();
      assertThat(process.errorReader().lines())
          .first()
          .asString()
          .endsWith("the command ended with 5");
    } finally {
      process.destroyForcibly();
    }
  }

  private int shop(List<String> options, String... arguments) {
    var all = new ArrayList<>(options);
    all.add("--");
    all.addAll(java("dev.orrery.server.Shopper", arguments).command());
    return run(all.toArray(String[]::new));
  }

  private static ProcessBuilder java(String main, String... arguments) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(flag -> flag.startsWith("--") || flag.startsWith("-Dsun.misc.unsafe."))
        .forEach(command::add);
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }

  private int run(String... arguments) {
    err.reset();
    var all = new ArrayList<>(List.of("run"));
    all.addAll(List.of(arguments));
    var main =
        new Main(
            new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8));
    return main.run(Map.of(), all.toArray(String[]::new));
  }

  private static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
