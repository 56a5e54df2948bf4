package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of other languages, each as a process of its own, against the packaged server. */
@ExtendWith(ClientTable.class)
final class ClientsTest {
  /**
   * What connection strings of Cosmos DB say, but for TLS and the account's key. Without a key the
   * parser of Node.js takes an {@code @} as it stands for the end of one.
   */
  private static final String COSMOS =
      "?replicaSet=globaldb&retrywrites=false&maxIdleTimeMS=120000&appName=%40account%40";

  @RegisterExtension private static final SharedServer server = new SharedServer();

  @TempDir private Path home;

  @ParameterizedTest
  @ValueSource(strings = {"", COSMOS})
  @Exercises(client = ClientKind.NODE, what = "connect, ping, list databases")
  void theNodeDriverConnects(String options) throws IOException {
    assertThat(lines(ClientTool.MONGODB.script("connect-mongodb.mjs", server.uri() + options)))
        .containsExactly(
            "ping 1",
            "version 7.0.15",
            "set globaldb",
            "databases 0",
            "unknown 59 CommandNotFound");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", COSMOS})
  @Exercises(client = ClientKind.MONGOOSE, what = "connect, ping, list databases")
  void mongooseConnects(String options) throws IOException {
    assertThat(lines(ClientTool.MONGOOSE.script("connect-mongoose.mjs", server.uri() + options)))
        .containsExactly("state connected", "ping 1", "databases 0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", COSMOS})
  @Exercises(client = ClientKind.PYMONGO, what = "connect, ping, list databases")
  void pymongoConnects(String options) throws IOException {
    assertThat(lines(ClientTool.PYMONGO.script("connect_pymongo.py", server.uri() + options)))
        .containsExactly(
            "ping 1.0",
            "version 7.0.15",
            "set globaldb",
            "databases []",
            "unknown 59 CommandNotFound");
  }

  @Test
  @Exercises(client = ClientKind.MONGOSH, what = "start without warnings")
  void mongoshStartsWithoutAWordOfWarningFromTheServer() throws IOException {
    ClientProcess shell =
        ClientProcess.run(
            home, ClientTool.MONGOSH.program(server.uri()), "db.runCommand({ping: 1}).ok\n");
    assertThat(shell.err()).isEmpty();
    assertThat(shell.out())
        .anyMatch(line -> line.matches("Using MongoDB:\\s+7\\.0\\.15"))
        .noneMatch(line -> line.contains("startup warnings"))
        .noneMatch(line -> line.contains("Error"))
        .contains("globaldb [direct: primary] test> 1");
    assertThat(shell.exitCode()).isZero();
  }

  @Test
  @Exercises(client = ClientKind.MONGOSH, what = "--eval, show dbs")
  void mongoshRunsCommands() throws IOException {
    assertThat(shell("[db.runCommand({ping: 1}).ok, rs.status().members[0].stateStr]"))
        .containsExactly("[ 1, 'PRIMARY' ]");
    assertThat(shell("show dbs")).containsExactly("");
  }

  private List<String> shell(String expression) throws IOException {
    return lines(ClientTool.MONGOSH.program(server.uri(), "--quiet", "--eval", expression));
  }

  private List<String> lines(List<String> command) throws IOException {
    return ClientProcess.lines(home, command);
  }
}
