package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What people do in mongosh, typed or as scripts. */
@ExtendWith(ClientTable.class)
final class ShellTest {
  @RegisterExtension private static final SharedServer server = new SharedServer();

  @TempDir private Path home;

  @Test
  @Exercises(
      client = ClientKind.MONGOSH,
      what = "--file: stats, explain, rs.status, rs.conf, serverStatus, currentOp, users, views")
  void aTourShowsWhatPeopleLookAt() throws IOException {
    String script = ClientTool.folder().resolve("tour-mongosh.js").toString();
    assertThat(run("tour", "--quiet", "--file", script))
        .containsExactly(
            "version 7.0.15 globaldb false",
            "stats tour.c 45 2 true false",
            "scaled 94.5 2",
            "explain a_1 9",
            "members PRIMARY 1 globaldb",
            "primary true true",
            "server 7.0.15 true true",
            "operations true 1",
            "profiler 0 100",
            "validated true 45",
            "indexes _id_,a_1 true",
            "collections c:collection",
            "host number 7.0.15 1",
            "view 9",
            "renamed 1 45",
            "users reader",
            "error MongoServerError 11000",
            "dropped 1");
  }

  @Test
  @Exercises(client = ClientKind.MONGOSH, what = "typed: it, show dbs/collections/users/profile")
  void cursorsAreContinuedByIt() throws IOException {
    assertThat(
            typed(
                "use typed",
                "for (let n = 0; n < 25; n++) db.c.insertOne({ _id: n })",
                "db.c.find().sort({ _id: 1 })",
                "it",
                "show collections",
                "db.createUser({ user: 'typist', pwd: 'secret', roles: ['read'] }).ok",
                "show users",
                "show dbs",
                "show profile"))
        .contains("switched to db typed")
        .contains("Type \"it\" for more")
        .contains("[ { _id: 20 }, { _id: 21 }, { _id: 22 }, { _id: 23 }, { _id: 24 } ]")
        .contains("c")
        .anyMatch(line -> line.contains("user: 'typist'"))
        .anyMatch(line -> line.matches("typed +\\S+ KiB"))
        .contains("db.system.profile is empty.");
  }

  @Test
  @Exercises(client = ClientKind.MONGOSH, what = "--eval with --json")
  void answersComeAsJson() throws IOException {
    assertThat(run("", "--quiet", "--json=canonical", "--eval", "db.runCommand({ ping: 1 }).ok"))
        .containsExactly("{", "  \"$numberInt\": \"1\"", "}");
  }

  @Test
  @Exercises(client = ClientKind.MONGOSH, what = "sh.shardCollection and sh.status")
  void partitionsAreShown() throws IOException {
    String script =
        "sh.shardCollection('sharded.c', { customer: 'hashed' }); sh.status().value.databases"
            + ".flatMap(({ collections }) => Object.entries(collections))"
            + ".map(([name, { shardKey, chunkMetadata }]) =>"
            + " name + ' ' + JSON.stringify(shardKey) + ' ' + chunkMetadata[0].nChunks).join()";
    ClientProcess shell =
        ClientProcess.run(
            home,
            ClientTool.MONGOSH.program(server.uri() + "sharded", "--quiet", "--eval", script),
            "");
    assertThat(shell.exitCode()).as("%s %s", shell.out(), shell.err()).isZero();
    assertThat(shell.out()).last().isEqualTo("sharded.c {\"customer\":\"hashed\"} 1");
  }

  private List<String> run(String database, String... arguments) throws IOException {
    var all = new ArrayList<>(List.of(server.uri() + database));
    all.addAll(List.of(arguments));
    return ClientProcess.lines(home, ClientTool.MONGOSH.program(all.toArray(String[]::new)));
  }

  /** What the shell shows after its prompts when somebody types these lines. */
  private List<String> typed(String... lines) throws IOException {
    ClientProcess shell =
        ClientProcess.run(
            home,
            ClientTool.MONGOSH.program(server.uri(), "--quiet"),
            String.join("\n", lines) + "\n");
    assertThat(shell.err()).isEmpty();
    return shell.out().stream().map(line -> line.replaceFirst("^globaldb .*?> ", "")).toList();
  }
}
