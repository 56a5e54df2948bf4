package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.compat.OracleReplay.Outcome;
import dev.orrery.compat.OracleReplay.Verdict;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Compares this server's answers with those of MongoDB 7.0.15, area by area. What differs is named
 * in known-differences.txt, with its number in docs/differences.md; nothing else may differ, and
 * nothing that is named may be the same.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class OracleTest {
  private final List<String> report = new ArrayList<>();
  private final Set<String> known = knownDifferences();
  private PackagedServer server;
  private WireClient client;
  private OracleReplay replay;

  private static Set<String> knownDifferences() {
    try (var list = OracleTest.class.getResourceAsStream("/known-differences.txt")) {
      return new String(list.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(line -> line.substring(line.indexOf(' ') + 1))
          .collect(Collectors.toSet());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

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
  @FieldSource("dev.orrery.compat.OracleReplay#AREAS")
  void answersAsMongoDbDoes(String area) throws IOException {
    List<Outcome> outcomes = replay.run(area);
    List<Outcome> others =
        outcomes.stream().filter(outcome -> outcome.verdict() != Verdict.SAME).toList();
    for (Outcome other : others) {
      report.add(other.verdict() + " " + other.name());
      report.add("  expected " + other.expected());
      report.add("  actual   " + other.actual());
    }
    List<String> expected =
        known.stream().filter(name -> name.startsWith(area + "/")).sorted().toList();
    assertThat(others.stream().map(Outcome::name).sorted().toList())
        .as("what differs, with details in target/oracle-differences.txt")
        .isEqualTo(expected);
  }
}
