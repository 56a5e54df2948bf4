package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.compat.OracleReplay.Outcome;
import dev.orrery.compat.OracleReplay.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares this server's answers with those of MongoDB 7.0.15, area by area. The floors ratchet:
 * they are raised when more answers agree, and what differs is explained in docs/differences.md.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class OracleTest {
  private PackagedServer server;
  private WireClient client;
  private OracleReplay replay;
  private final List<String> report = new ArrayList<>();

  @BeforeAll
  void start() throws IOException {
    server = PackagedServer.ephemeral();
    client = new WireClient(server.port());
    replay = new OracleReplay(client);
    replay.loadData();
  }

  @AfterAll
  void stop() throws IOException {
    Files.write(Path.of("target", "oracle-differences.txt"), report);
    client.close();
    server.close();
  }

  @ParameterizedTest
  @CsvSource({
    "admin, 0",
    "agg-group, 0",
    "agg-join, 0",
    "agg-stage, 0",
    "agg-window, 0",
    "expr-arith, 0",
    "expr-array, 0",
    "expr-convert, 0",
    "expr-date, 0",
    "expr-string, 0",
    "index, 0",
    "query, 0",
    "read, 0",
    "update, 0",
    "write, 0"
  })
  void answersAsMongoDbDoes(String area, double floorPercent) throws IOException {
    List<Outcome> outcomes = replay.run(area);
    List<Outcome> others =
        outcomes.stream().filter(outcome -> outcome.verdict() != Verdict.SAME).toList();
    for (Outcome other : others) {
      report.add(other.verdict() + " " + other.name());
      report.add("  expected " + other.expected());
      report.add("  actual   " + other.actual());
    }
    double percent = 100.0 * (outcomes.size() - others.size()) / outcomes.size();
    report.add(
        "%s: %d of %d same (%.1f %%)"
            .formatted(area, outcomes.size() - others.size(), outcomes.size(), percent));
    assertThat(percent)
        .as(() -> "different in " + area + ": " + others.stream().map(Outcome::name).toList())
        .isGreaterThanOrEqualTo(floorPercent);
  }
}
