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

/** Clients watch, each as a process of its own and in a database of its own. */
@ExtendWith(ClientTable.class)
final class WatchTest {
  private static final Path LIBRARIES = Path.of("target", "spring-data");

  @RegisterExtension private static final SharedServer server = new SharedServer();

  @TempDir private Path home;

  @Test
  @Exercises(client = ClientKind.NODE, what = "change streams: images, resuming, transactions")
  void theNodeDriverWatches() throws IOException {
    assertThat(lines(ClientTool.MONGODB.script("watch-mongodb.mjs", server.uri(), "node")))
        .containsExactly(
            "nothing yet null",
            "insert {\"_id\":1,\"total\":5,\"tags\":[\"a\",\"b\"]}",
            "update {\"updatedFields\":{\"total\":6},\"removedFields\":[\"tags\"],"
                + "\"truncatedArrays\":[]}",
            "before {\"_id\":1,\"total\":5,\"tags\":[\"a\",\"b\"]}",
            "resumed orders 2, lines 3",
            "one transaction true",
            "server drop",
            "bad token 50811 Location50811");
  }

  @Test
  @Exercises(client = ClientKind.MONGOOSE, what = "Model.watch, hydrated")
  void mongooseWatches() throws IOException {
    assertThat(lines(ClientTool.MONGOOSE.script("watch-mongoose.mjs", server.uri(), "mongoose")))
        .containsExactly("insert update delete", "hydrated true 5", "changed {\"total\":6}");
  }

  @Test
  @Exercises(client = ClientKind.PYMONGO, what = "change streams: lookup, resuming, a time")
  void pymongoWatches() throws IOException {
    assertThat(lines(ClientTool.PYMONGO.script("watch_pymongo.py", server.uri(), "python")))
        .containsExactly(
            "nothing yet None",
            "token True",
            "['insert', 'update', 'replace', 'delete']",
            "looked up None {'total': 6}",
            "resumed ['replace', 'delete']",
            "at a time delete",
            "database drop",
            "refused 20 IllegalOperation");
  }

  @Test
  @Exercises(client = ClientKind.MONGOSH, what = "watch() of collection, database and server")
  void mongoshWatches() throws IOException {
    String script = ClientTool.folder().resolve("watch-mongosh.js").toString();
    assertThat(
            lines(ClientTool.MONGOSH.program(server.uri() + "shell", "--quiet", "--file", script)))
        .filteredOn(line -> !line.startsWith("Warning: If there are no documents in the batch"))
        .containsExactly(
            "nothing yet null",
            "insert { _id: 1, total: 5 }",
            "update { total: 6 }",
            "resumed update",
            "nothing yet null",
            "server drop");
  }

  @Test
  @Exercises(client = ClientKind.JAVA, what = "change streams as a process of its own")
  void theJavaDriverWatches() throws IOException {
    assertThat(program("Watch.java", "java"))
        .containsExactly(
            "nothing yet null",
            "insert {\"_id\": 1, \"tags\": [\"a\", \"b\"]}",
            "update {\"tags.2\": \"c\"}",
            "looked up {\"_id\": 1, \"tags\": [\"a\", \"b\", \"c\"]}",
            "resumed {\"_id\": 2} {\"_id\": 3}",
            "one transaction true",
            "bad token 50811");
  }

  @Test
  @Exercises(client = ClientKind.SPRING, what = "message listener on a change stream")
  void springListens() throws IOException {
    assertThat(program("SpringListener.java", "spring"))
        .containsExactly(
            "active true",
            "insert Document{{_id=1, total=5}}",
            "update Document{{_id=1, total=6}}",
            "delete null");
  }

  /** What a program of Java prints; where it logs is its own affair. */
  private List<String> program(String name, String database) throws IOException {
    String libraries;
    try (var jars = Files.list(LIBRARIES)) {
      libraries = jars.map(Path::toString).collect(Collectors.joining(":"));
    }
    String source = ClientTool.folder().resolve(name).toString();
    ClientProcess ended =
        ClientProcess.run(
            home,
            List.of(PackagedServer.java(), "-cp", libraries, source, server.uri(), database),
            "");
    assertThat(ended.exitCode()).as("%s", ended.err()).isZero();
    return ended.out();
  }

  private List<String> lines(List<String> command) throws IOException {
    return ClientProcess.lines(home, command);
  }
}
