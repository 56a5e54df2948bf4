package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Clients of other languages store and read documents, each in a database of its own. */
@ExtendWith(ClientTable.class)
final class DocumentsTest {
  @RegisterExtension private static final SharedServer server = new SharedServer();

  @TempDir private Path home;

  @Test
  @Exercises(client = ClientKind.NODE, what = "CRUD, bulk, cursors, errors")
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
  @Exercises(client = ClientKind.NODE, what = "indexes, aggregation, catalog")
  void theNodeDriverIndexesCountsAndLists() throws IOException {
    assertThat(lines(ClientTool.MONGODB.script("catalog-mongodb.mjs", server.uri(), "catalog")))
        .containsExactly(
            "index by_1_total_-1",
            "unique by total",
            "indexes _id_ by total by_1_total_-1",
            "duplicate 11000 {\"total\":1}",
            "indexes _id_ by_1_total_-1",
            "count 2",
            "totals [{\"_id\":\"ann\",\"total\":30},{\"_id\":\"bob\",\"total\":60}]",
            "collections orders",
            "databases true",
            "dropped true true");
  }

  @Test
  @Exercises(client = ClientKind.MONGOOSE, what = "schema, autoIndex, CRUD, timestamps")
  void mongooseKeepsAModelAndItsIndexes() throws IOException {
    assertThat(lines(ClientTool.MONGOOSE.script("documents-mongoose.mjs", server.uri(), "model")))
        .containsExactly(
            "indexes _id_ name_1 tags_1_seen_-1",
            "found a x y 1 true 1",
            "names a c",
            "duplicate 11000",
            "updated 3",
            "count 3",
            "deleted 2");
  }

  @Test
  @Exercises(client = ClientKind.PYMONGO, what = "CRUD, bulk, cursors, indexes, aggregation")
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
            "estimated 1001",
            "index even_1 ['_id_', 'even_1']",
            "count 499",
            "groups [{'_id': None, 'n': 2}, {'_id': False, 'n': 499}, {'_id': True, 'n': 500}]",
            "listed ['things'] True");
  }

  @Test
  @Exercises(client = ClientKind.MONGOSH, what = "--file: CRUD, indexes, aggregation")
  void mongoshStoresAndReads() throws IOException {
    String uri = server.uri() + "shell";
    String script = ClientTool.folder().resolve("documents-mongosh.js").toString();
    assertThat(lines(ClientTool.MONGOSH.program(uri, "--quiet", "--file", script)))
        .containsExactly(
            "{ acknowledged: true, insertedIds: { '0': 1, '1': 2, '2': 3 } }",
            "[ { _id: 1, a: 1 }, { _id: 2, a: [ 1, 2 ] } ]",
            "updated 1",
            "distinct [ 1, 2, 5 ]",
            "index a_1",
            "[ { values: 4 } ]",
            "count 3 3 3",
            "collections [ 'c' ]");
    assertThat(lines(ClientTool.MONGOSH.program(uri, "--quiet", "--eval", "show dbs")))
        .anyMatch(line -> line.matches("shell +\\S+ KiB"));
  }

  @Test
  @Exercises(client = ClientKind.MONGOOSE, what = "populate, subdocuments, shardKey, sessions")
  void mongooseFollowsReferencesAndPartitionKeys() throws IOException {
    assertThat(lines(ClientTool.MONGOOSE.script("relations-mongoose.mjs", server.uri(), "books")))
        .containsExactly(
            "populated One by Ann, Two by Ann",
            "stars 5 3",
            "invalid ValidationError",
            "by partition key 2",
            "left 0",
            "in a session Bob",
            "cursor 2");
  }

  @Test
  @Exercises(
      client = ClientKind.NODE,
      what = "concerns, read preference, compression, maxTimeMS, cancellation, causal sessions")
  void theNodeDriverAsksForConcernsAndTimes() throws IOException {
    assertThat(lines(ClientTool.MONGODB.script("concerns-mongodb.mjs", server.uri(), "concerns")))
        .containsExactly(
            "unacknowledged false",
            "read by preference 5 5 5",
            "too many members 100 UnsatisfiableWriteConcern",
            "out of time 50 MaxTimeMSExpired",
            "cancelled no longer wanted",
            "goes on 1",
            "read own write causal",
            "operation time true");
  }

  @Test
  @Exercises(client = ClientKind.PHP, what = "CRUD, bulk, cursors, aggregation, errors")
  void phpStoresAndReads() throws IOException {
    assertThat(lines(ClientTool.PHP.script("documents.php", server.uri(), "php")))
        .containsExactly(
            "ping 1",
            "bulk 1000 10 1",
            "last 1008 1006",
            "read in batches 909",
            "duplicate 11000",
            "groups [{\"_id\":false,\"count\":499},{\"_id\":true,\"count\":500}]",
            "left 0");
  }

  @Test
  @Exercises(client = ClientKind.C, what = "CRUD, bulk, cursors, aggregation, GridFS: 10 MB")
  void cStoresAndReads() throws IOException {
    Path program = home.resolve("documents");
    lines(ClientTool.MONGOC.compiler("documents.c", program));
    assertThat(lines(List.of(program.toString(), server.uri(), "c")))
        .containsExactly(
            "ping 1",
            "inserted 1000",
            "duplicate 11000",
            "read in batches 500",
            "aggregated { \"n\" : 500 }",
            "file 10485777 same");
  }

  private List<String> lines(List<String> command) throws IOException {
    return ClientProcess.lines(home, command);
  }
}
