package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Transactions by the object mappers that applications use, as processes of their own. */
@ExtendWith(ClientTable.class)
final class TransactionClientsTest {
  /** Where the jars of spring-data-mongodb are, with all that they need. */
  private static final Path SPRING = Path.of("target", "spring-data");

  @RegisterExtension private static final SharedServer server = new SharedServer();

  @TempDir private Path home;

  private List<String> lines(List<String> command) throws IOException {
    return ClientProcess.lines(home, command);
  }

  @Test
  @Exercises(client = ClientKind.MONGOOSE, what = "withTransaction, connection.transaction")
  void mongooseCommitsAndRollsBack() throws IOException {
    assertThat(lines(ClientTool.MONGOOSE.script("transactions-mongoose.mjs", server.uri(), "txm")))
        .containsExactly(
            "inside 1 outside 0",
            "committed 1 1",
            "by the connection 2 2",
            "aborted 11000 true",
            "after the abort 2 2 Two",
            "at the same time 6 6 true");
  }

  @Test
  @Exercises(client = ClientKind.NODE, what = "transactions as object mappers run them")
  void theNodeDriverRunsNestedWrites() throws IOException {
    assertThat(lines(ClientTool.MONGODB.script("transactions-mongodb.mjs", server.uri(), "txn")))
        .containsExactly(
            "nested 2",
            "unique 11000 {\"email\":1}",
            "stored 1 2",
            "together Ann Bob 1",
            "given up Ann",
            "visits 3 true");
  }

  @Test
  @Exercises(client = ClientKind.SPRING, what = "@Transactional")
  void springRunsAnnotatedMethods() throws IOException {
    String libraries;
    try (var jars = Files.list(SPRING)) {
      libraries = jars.map(Path::toString).collect(Collectors.joining(":"));
    }
    Path java = Path.of(System.getProperty("java.home"), "bin");
    String program = ClientTool.folder().resolve("Spring.java").toString();
    String classes = home.resolve("classes").toString();
    lines(List.of(java.resolve("javac").toString(), "-cp", libraries, "-d", classes, program));
    assertThat(
            lines(
                List.of(
                    java.resolve("java").toString(),
                    "-Dslf4j.internal.verbosity=ERROR", // it has no logger, and needs none
                    "-cp",
                    classes + ":" + libraries,
                    "Spring",
                    server.uri(),
                    "spring")))
        .endsWith(
            "committed 1 1", "rolled back 1 1", "inside 3 3", "joined 3 3", "at the same time 7 7");
  }
}
