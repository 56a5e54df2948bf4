package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import dev.orrery.server.transfer.TailCommandLine;
import dev.orrery.server.transfer.source.Console;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code orrery tail}. */
final class TailTest {
  @TempDir private Path directory;
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
  private String file;

  @BeforeEach
  void nameFile() {
    file = directory.resolve("place").toString();
  }

  private record Ended(int code, List<BsonDocument> events) {
    List<String> types() {
      return events.stream().map(event -> event.getString("operationType").getValue()).toList();
    }
  }

  private Ended tail(String... arguments) {
    var out = new ByteArrayOutputStream();
    var console =
        new Console(
            InputStream.nullInputStream(), new PrintStream(out), new PrintStream(errors), false);
    int code = new TailCommandLine(console, Clock.systemUTC()).run(arguments);
    String text = out.toString(StandardCharsets.UTF_8);
    return new Ended(code, text.lines().map(BsonDocument::parse).toList());
  }

  @Test
  void eventsComeInLinesFromATimeOnAndGoOnWhereTheyWere() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      MongoCollection<Document> things = client.getDatabase("db").getCollection("things");
      things.insertOne(Document.parse("{_id: 1}"));
      things.updateOne(Filters.eq(1), Updates.set("a", 1));
      client.getDatabase("other").getCollection("c").insertOne(new Document());
      String uri = "mongodb://127.0.0.1:" + server.port();

      Ended first =
          tail("--uri", uri, "db.things", "--from", "1h", "--limit", "1", "--resume-file", file);
      assertThat(first.code).isZero();
      assertThat(first.types()).containsExactly("insert");
      assertThat(first.events.get(0).keySet())
          .containsExactly(
              "_id",
              "operationType",
              "clusterTime",
              "wallTime",
              "fullDocument",
              "ns",
              "documentKey");
      things.drop();
      Ended second =
          tail("--uri", uri, "db.things", "--resume-file", file, "--full-document", "--expanded");
      assertThat(second.types()).containsExactly("update", "drop", "invalidate");
      things.insertOne(Document.parse("{_id: 2}"));
      Ended third = tail("--uri", uri, "db.things", "--resume-file", file, "--limit", "1");
      assertThat(third.types()).containsExactly("insert");

      String token = first.events.get(0).getDocument("_id").getString("_data").getValue();
      Ended ofDatabase =
          tail(
              "--uri",
              uri,
              "db",
              "--from",
              token,
              "--limit",
              "1",
              "--match={operationType: 'drop'}");
      assertThat(ofDatabase.types()).containsExactly("drop");
      assertThat(tail("--uri", uri, "--from", "1", "--limit", "4").events).hasSize(4);
    }
  }

  @Test
  void whatMakesNoSenseIsSaid() throws IOException {
    assertThat(tail("--from", "yesterday").code).isEqualTo(2);
    assertThat(tail("--match", "{").code).isEqualTo(2);
    assertThat(tail("--limit", "0").code).isEqualTo(2);
    Files.writeString(Path.of(file), "no token");
    assertThat(tail("--resume-file", file).code).isEqualTo(1);
    assertThat(errors.toString(StandardCharsets.UTF_8))
        .contains("--from is a time, how long ago, or a token, not yesterday")
        .contains("holds no token");
  }
}
