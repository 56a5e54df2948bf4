package dev.orrery.language.expression;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** Answers recorded from MongoDB 7.0, from the files under {@code oracle} on the class path. */
final class RecordedCases {
  private RecordedCases() {}

  /** One command and its reply; all of them project one expression of one document. */
  record Case(String name, BsonValue expression, BsonDocument flags, BsonDocument reply) {
    boolean isError() {
      return reply.containsKey("errmsg");
    }
  }

  static List<Case> read(String area) {
    var cases = new ArrayList<Case>();
    for (BsonDocument line : lines(area)) {
      BsonDocument stage = line.getDocument("command").getArray("pipeline").get(0).asDocument();
      cases.add(
          new Case(
              line.getString("name").getValue(),
              stage.getDocument("$project").get("r"),
              line.getDocument("flags", new BsonDocument()),
              line.getDocument("reply")));
    }
    return cases;
  }

  /** The first document of a shared data set. */
  static BsonDocument document(String set) {
    for (BsonDocument line : lines("_data")) {
      if (line.getString("set").getValue().equals(set)) {
        return line.getArray("docs").get(0).asDocument();
      }
    }
    throw new IllegalArgumentException("no such set: " + set);
  }

  private static List<BsonDocument> lines(String file) {
    String path = "/oracle/" + file + ".jsonl";
    try (InputStream in = RecordedCases.class.getResourceAsStream(path)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(BsonDocument::parse)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
