package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import dev.orrery.server.transfer.ExportCommandLine;
import dev.orrery.server.transfer.ImportCommandLine;
import dev.orrery.server.transfer.source.Console;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands import and export against a server, all in this process. */
final class ImportExportTest {
  private static TestServer server;
  private static MongoClient client;

  @TempDir private Path directory;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private String input = "";

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start("--console-port=off");
    client = server.client("", "");
  }

  @AfterAll
  static void stop() {
    client.close();
    server.close();
  }

  @BeforeEach
  void clear() {
    client.getDatabase("test").drop();
  }

  private static MongoCollection<Document> collection(String name) {
    return client.getDatabase("test").getCollection(name);
  }

  private static List<Document> documents(String name) {
    return collection(name).find().sort(new Document("_id", 1)).into(new ArrayList<>());
  }

  private Console console() {
    out.reset();
    err.reset();
    return new Console(
        new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8),
        false);
  }

  private int importing(String... arguments) {
    return new ImportCommandLine(console(), Clock.systemUTC()).run(withUri(arguments));
  }

  private int exporting(String... arguments) {
    return new ExportCommandLine(console(), "test").run(withUri(arguments));
  }

  private static String[] withUri(String... arguments) {
    String[] all = Arrays.copyOf(arguments, arguments.length + 1);
    all[arguments.length] = "--uri=mongodb://127.0.0.1:" + server.port() + "/";
    return all;
  }

  @Test
  void jsonComesFromStandardInputAndGoesToStandardOutput() {
    input = "{\"_id\": 1, \"a\": {\"$numberLong\": \"5\"}}\n{\"_id\": 2}\n";
    assertThat(importing("--collection=c")).isZero();
    assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("2 documents imported in ");
    assertThat(exporting("--db=test", "--collection=c", "--type=json", "--jsonFormat=canonical"))
        .isZero();
    assertThat(out)
        .hasToString(
            "{\"_id\":{\"$numberInt\":\"1\"},\"a\":{\"$numberLong\":\"5\"}}\n"
                + "{\"_id\":{\"$numberInt\":\"2\"}}\n");
    exporting(
        "-dtest", "-cc", "--type=json", "--json-array", "-q{\"_id\": {\"$gt\": 1}}", "--limit=5");
    assertThat(out).hasToString("[{\"_id\":2}]\n");
  }

  @Test
  void csvGoesOutAndComesInAgain() throws IOException {
    collection("c")
        .insertMany(
            List.of(
                Document.parse("{_id: 1, a: {b: 'x,y'}}"),
                Document.parse("{_id: 2, a: {b: '\"'}}")));
    Path file = directory.resolve("out.csv.gz");
    assertThat(exporting("-dtest", "-cc", "-f_id,a.b", "--sort={_id: -1}", "-o" + file)).isZero();
    assertThat(importing("--headerline", "--drop", "-ccopy", file.toString())).isZero();
    assertThat(documents("copy")).isEqualTo(documents("c"));
  }

  @Test
  void aBsonFileBringsTheIndexesThatLieBesideIt() {
    collection("c").insertOne(Document.parse("{_id: 1, a: 1}"));
    collection("c").createIndex(Document.parse("{a: 1}"));
    exporting("--db=test", "--out=" + directory);
    collection("c").drop();
    assertThat(importing(directory.resolve("test/c.bson").toString())).isZero();
    assertThat(documents("c")).containsExactly(Document.parse("{_id: 1, a: 1}"));
    assertThat(collection("c").listIndexes()).hasSize(2);
    assertThat(importing("--noIndexRestore", "-cd", directory.resolve("test/c.bson").toString()))
        .isZero();
    assertThat(collection("d").listIndexes()).hasSize(1);
  }

  @Test
  void modesInsertUpsertMergeAndDelete() {
    collection("c")
        .insertMany(
            List.of(Document.parse("{_id: 1, k: 'a', x: 1}"), Document.parse("{_id: 2, k: 'b'}")));
    input = "{\"k\": \"a\", \"y\": 2} {\"k\": \"c\"}";
    assertThat(importing("-cc", "--mode=merge", "--upsertFields=k")).isZero();
    assertThat(documents("c").get(0)).isEqualTo(Document.parse("{_id: 1, k: 'a', x: 1, y: 2}"));
    assertThat(collection("c").countDocuments()).isEqualTo(3);
    input = "{\"_id\": 1, \"z\": 3}";
    assertThat(importing("-cc", "--mode=upsert")).isZero();
    assertThat(documents("c").get(0)).isEqualTo(Document.parse("{_id: 1, z: 3}"));
    input = "{\"_id\": 1} {\"_id\": 7} {\"k\": \"b\"}";
    assertThat(importing("-cc", "--mode=delete")).isZero();
    assertThat(collection("c").countDocuments()).isEqualTo(2);
  }

  @Test
  void failuresAreToldWithTheirPlaceAndCounted() {
    input = "{\"_id\": 1}\n{\"_id\": 1}\n{\"_id\": {\"$oid\": \"x\"}}\n{\"_id\": 2}\n";
    assertThat(importing("-cc")).isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("standard input, line 2: E11000 duplicate key error")
        .contains("standard input, line 3: this is no extended JSON")
        .contains("2 documents imported")
        .contains("2 documents or indexes failed.");
    assertThat(importing("-cc", "--stopOnError", "--batchSize=1")).isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .startsWith("orrery: standard input, line 1: E11000")
        .contains("--stopOnError");
  }

  @Test
  void validatorsHoldUnlessTheyAreBypassed() {
    client
        .getDatabase("test")
        .runCommand(Document.parse("{create: 'c', validator: {a: {$exists: true}}}"));
    input = "{\"_id\": 1}";
    assertThat(importing("-cc")).isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("Document failed validation");
    assertThat(importing("-cc", "--bypassDocumentValidation")).isZero();
  }

  @Test
  void anIndexThatIsRefusedDoesNotKeepTheOthersAway() throws IOException {
    Path folder = Files.createDirectories(directory.resolve("test"));
    Files.writeString(
        folder.resolve("c.metadata.json"),
        """
        {"options": {}, "indexes": [{"v": 2, "key": {"_id": 1}, "name": "_id_"},
          {"v": 2, "key": {"p": "geoHaystack"}, "name": "geo"},
          {"v": 1, "key": {"a": 1}, "name": "plain", "ns": "old.c", "background": true}]}
        """);
    Files.write(folder.resolve("c.bson"), new byte[0]);
    assertThat(importing(directory.toString())).isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("of test.c was not built");
    assertThat(collection("c").listIndexes().into(new ArrayList<>()))
        .extracting(index -> index.getString("name"))
        .containsExactly("_id_", "plain");
  }

  @Test
  void aPartitionKeyUniqueKeysAndThroughputAreSetBeforeTheDocumentsCome() throws IOException {
    Path file = directory.resolve("people.json");
    Files.writeString(
        file,
        """
        {"name": "a", "city": "x"}
        {"name": "b", "city": "x"}
        {"name": "a", "city": "y"}
        {"name": "a", "city": "x"}
        """);
    assertThat(
            importing(
                "--shard-key=city",
                "--unique=city,name",
                "--throughput=test.people=1000",
                file.toString()))
        .isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("people.json, line 4: E11000 duplicate key")
        .contains("3 documents imported");
    Document settings =
        client
            .getDatabase("test")
            .runCommand(Document.parse("{customAction: 'GetCollection', collection: 'people'}"));
    assertThat(settings.toJson()).contains("\"city\"").contains("1000");
  }

  @Test
  void whatNamesNoCollectionOfTheSourceIsRefusedBeforeAnythingIsWritten() {
    input = "{\"_id\": 1}";
    for (String option :
        List.of("--shard-key=test.d=a", "--unique=other.c=a", "--throughput=test.d=400")) {
      assertThat(importing("-cc", option)).isEqualTo(2);
      assertThat(err.toString(StandardCharsets.UTF_8)).contains("and what comes is test.c");
    }
    assertThat(importing("-cc", "--throughput=test.c=much")).isEqualTo(2);
    assertThat(client.getDatabase("test").listCollectionNames()).isEmpty();
  }

  @Test
  void anIndexWithoutTheCollationOfItsCollectionComesWithoutIt() {
    Document french = Document.parse("{locale: 'fr', strength: 1}");
    client.getDatabase("test").runCommand(new Document("create", "c").append("collation", french));
    collection("c").insertMany(List.of(new Document("a", "e"), new Document("a", "E")));
    client
        .getDatabase("test")
        .runCommand(
            Document.parse(
                """
                {createIndexes: 'c', indexes: [
                  {key: {a: 1}, name: 'a', unique: true, collation: {locale: 'simple'}}]}
                """));
    exporting("--db=test", "--out=" + directory);
    collection("c").drop();
    assertThat(importing("--dry-run", directory.toString())).isZero();
    assertThat(importing(directory.toString())).isZero();
    assertThat(collection("c").listIndexes())
        .anySatisfy(
            index ->
                assertThat(index)
                    .isEqualTo(Document.parse("{v: 2, key: {a: 1}, name: 'a', unique: true}")));
    assertThat(importing("--dry-run", "--unique=a", directory.toString())).isEqualTo(1);
  }

  @Test
  void timeSeriesGoOutAsBucketsAndComeInAsTheyWere() throws IOException {
    client
        .getDatabase("test")
        .runCommand(Document.parse("{create: 't', timeseries: {timeField: 'ts', metaField: 'm'}}"));
    var measurements = new ArrayList<Document>();
    for (int i = 0; i < 2500; i++) {
      measurements.add(
          new Document("ts", new Date(1_767_225_600_000L + i * 10_000L))
              .append("m", new Document("sensor", i % 3))
              .append("_id", i)
              .append("v", i * 0.5));
    }
    collection("t").insertMany(measurements);
    List<Document> indexes = collection("t").listIndexes().into(new ArrayList<>());
    assertThat(exporting("--db=test", "--out=" + directory.resolve("dump"))).isZero();
    assertThat(exporting("--db=test", "--archive=" + directory.resolve("archive"))).isZero();
    assertThat(directory.resolve("dump/test/system.buckets.t.bson")).isNotEmptyFile();
    assertThat(Files.readString(directory.resolve("dump/test/t.metadata.json")))
        .contains("timeseries")
        .doesNotContain("_id_");
    for (String source :
        List.of("" + directory.resolve("dump"), "--archive=" + directory.resolve("archive"))) {
      collection("t").drop();
      assertThat(importing(source)).as(source).isZero();
      assertThat(documents("t")).isEqualTo(measurements);
      assertThat(collection("t").listIndexes()).containsExactlyElementsOf(indexes);
      assertThat(client.getDatabase("test").listCollectionNames())
          .containsExactly("system.buckets.t", "system.views", "t");
    }
  }

  @Test
  void refusedIndexesAreNamedInPlainWords() throws IOException {
    Path file = directory.resolve("c.bson");
    Files.write(file, new byte[0]);
    Files.writeString(
        directory.resolve("c.metadata.json"),
        "{\"indexes\":[{\"v\":2,\"key\":{\"a\":\"nosuchkind\"},\"name\":\"bad\"}]}");
    assertThat(importing("-dtest", file.toString())).isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("The index bad of test.c was not built: ")
        .doesNotContain("BsonString");
  }

  @Test
  void anImportWaitsForRequestUnits() {
    var text = new StringBuilder();
    for (int i = 0; i < 4; i++) { // each costs most of what a second brings
      text.append("{\"n\": \"").append("x".repeat(1 << 19)).append("\"}\n");
    }
    input = text.toString();
    assertThat(importing("-cc", "--throughput=400")).isZero();
    assertThat(err.toString(StandardCharsets.UTF_8))
        .startsWith("4 documents imported")
        .contains("waits for request units (16500)");
  }

  @Test
  void collectionsAreChosenAndRenamed() {
    collection("a").insertOne(new Document("_id", 1));
    collection("b").insertOne(new Document("_id", 2));
    Path archive = directory.resolve("archive");
    assertThat(exporting("--archive=" + archive, "--nsInclude=test.*", "--nsExclude=*.b")).isZero();
    assertThat(importing("--archive=" + archive, "--nsFrom=test.*", "--nsTo=test.new_*")).isZero();
    assertThat(documents("new_a")).containsExactly(new Document("_id", 1));
    assertThat(collection("new_b").countDocuments()).isZero();
  }

  @Test
  void whatMakesNoSenseIsRefusedWithCodeTwo() {
    for (String[] arguments :
        new String[][] {
          {"--colection=x"}, {"--mode=replace"}, {"--type=xml"}, {"--batchSize=0"}, {"a", "b"}, {},
        }) {
      assertThat(importing(arguments)).isEqualTo(2);
      assertThat(err.toString(StandardCharsets.UTF_8))
          .startsWith("orrery: ")
          .contains("Try orrery import --help.");
    }
    assertThat(exporting("--type=csv", "-dtest", "-cc")).isEqualTo(2);
    assertThat(exporting("-q{")).isEqualTo(2);
  }

  @Test
  void whatIsNotThereIsNamed() {
    assertThat(importing("nowhere.json")).isEqualTo(1);
    assertThat(err).hasToString("orrery: There is no file nowhere.json.\n");
    assertThat(exporting("-dtest", "-cmissing", "--type=json")).isEqualTo(1);
    assertThat(err).hasToString("orrery: There is no such collection on the server.\n");
    String nobody = "--uri=mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=200";
    input = "{}";
    assertThat(new ImportCommandLine(console(), Clock.systemUTC()).run("-cc", nobody)).isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .startsWith("orrery: There is no answer from 127.0.0.1:1: Connection refused. Is ");
  }

  @Test
  void helpListsTheOptions() {
    assertThat(importing("--help")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("--shard-key").contains("--dry-run");
    assertThat(exporting("--help")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("--archive");
  }

  /** Books are added in pairs, one to each of two collections, while both are exported. */
  @Test
  void anExportIsOfOnePoint() throws Exception {
    for (int i = 0; i < 3000; i++) {
      collection("first").insertOne(new Document("_id", i));
      collection("second").insertOne(new Document("_id", i));
    }
    var isOver = new AtomicBoolean();
    var writing =
        CompletableFuture.runAsync(
            () -> {
              try (var session = client.startSession()) {
                for (int i = 3000; !isOver.get(); i++) {
                  Document pair = new Document("_id", i);
                  session.withTransaction(
                      () -> {
                        collection("first").insertOne(session, pair);
                        return collection("second").insertOne(session, pair);
                      });
                }
              }
            });
    int code = exporting("--db", "test", "--out", directory.resolve("dump").toString());
    isOver.set(true);
    writing.join();
    assertThat(code).as(err.toString(StandardCharsets.UTF_8)).isZero();
    Path dumped = directory.resolve("dump").resolve("test");
    assertThat(Files.size(dumped.resolve("second.bson")))
        .isEqualTo(Files.size(dumped.resolve("first.bson")));
    assertThat(collection("first").countDocuments()).isGreaterThan(3000);
  }
}
