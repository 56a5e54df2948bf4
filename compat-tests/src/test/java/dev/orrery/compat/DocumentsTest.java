package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients of other languages store and read documents, each in a database of its own. */
final class DocumentsTest {
  private static PackagedServer server;

  @TempDir private Path home;

  @BeforeAll
  static void start() {
    server = PackagedServer.ephemeral();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void theNodeDriverStoresAndReads() throws IOException {
    assertThat(lines(ClientTool.MONGODB.script("documents-mongodb.mjs", server.uri(), "node")))
        .containsExactly(
            "inserted true",
            "inserted 1000",
            "found 1.50 1970-01-01T00:00:00.000Z true",
            "none null",
            "last [{\"_id\":994,\"n\":994},{\"_id\":988,\"n\":988},{\"_id\":982,\"n\":982}]",
            "read in batches 900",
            "duplicate 11000 {\"_id\":1}",
            "updated 10 10",
            "upserted 1 new",
            "replaced {\"_id\":\"new\",\"n\":2}",
            "distinct high t0 t1 t2",
            "bulk 1 1 1",
            "deleted 500",
            "estimated 502");
  }

  @Test
  void pymongoStoresAndReads() throws IOException {
    assertThat(lines(ClientTool.PYMONGO.script("documents_pymongo.py", server.uri(), "python")))
        .containsExactly(
            "inserted 1000",
            "found 1.50 2020-02-29T00:00:00",
            "last [{'n': 998}, {'n': 996}]",
            "read in batches 900",
            "duplicate 11000 1",
            "updated 10 10",
            "before 20",
            "distinct [False, True]",
            "deleted 1",
            "estimated 1001");
  }

  @Test
  void mongoshStoresAndReads() throws IOException {
    assertThat(shell("db.c.insertMany([{_id: 1, a: 1}, {_id: 2, a: [1, 2]}, {_id: 3}])"))
        .containsExactly("{ acknowledged: true, insertedIds: { '0': 1, '1': 2, '2': 3 } }");
    assertThat(shell("db.c.find({a: 1})"))
        .containsExactly("[ { _id: 1, a: 1 }, { _id: 2, a: [ 1, 2 ] } ]");
    assertThat(shell("db.c.updateOne({_id: 3}, {$set: {a: 5}}).modifiedCount"))
        .containsExactly("1");
    assertThat(shell("db.c.distinct('a').sort()")).containsExactly("[ 1, 2, 5 ]");
  }

  private List<String> shell(String expression) throws IOException {
    String uri = server.uri() + "shell";
    return lines(ClientTool.MONGOSH.program(uri, "--quiet", "--eval", expression));
  }

  private List<String> lines(List<String> command) throws IOException {
    return ClientProcess.lines(home, command);
  }
}
