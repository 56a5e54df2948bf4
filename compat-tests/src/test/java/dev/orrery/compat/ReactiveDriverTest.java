package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Java's reactive driver, as a process of its own, against the packaged server. */
@ExtendWith(ClientTable.class)
final class ReactiveDriverTest {
  private static final Path LIBRARIES = Path.of("target", "reactive-driver");

  @TempDir private Path home;

  @Test
  @Exercises(
      client = ClientKind.REACTIVE,
      what = "connect, CRUD, index, aggregation, back-pressure, GridFS: 10 MB up and down")
  void itStoresReadsAndStreams() throws IOException {
    try (var server = PackagedServer.ephemeral()) {
      assertThat(ClientProcess.lines(home, command(server.uri(), "reactive")))
          .containsExactly(
              "ping 1.0",
              "inserted 1000",
              "index third_-1",
              "read in batches 333",
              "taken 25",
              "updated 10",
              "aggregated {\"_id\": 12, \"highest\": 8}",
              "duplicate 11000",
              "file 10485777 same",
              "databases false");
    }
  }

  private static List<String> command(String uri, String database) throws IOException {
    String libraries;
    try (var jars = Files.list(LIBRARIES)) {
      libraries = jars.map(Path::toString).collect(Collectors.joining(":"));
    }
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String program = ClientTool.folder().resolve("Reactive.java").toString();
    return List.of(java, "-cp", libraries, program, uri, database);
  }
}
