package dev.orrery.language.update;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** A command that a MongoDB 7.0.15 was given, what it answered, and what was stored afterwards. */
record RecordedCase(BsonDocument recording) {
  static List<RecordedCase> read(String area) {
    var cases = new ArrayList<RecordedCase>();
    try (var input = RecordedCase.class.getResourceAsStream("/oracle/" + area + ".jsonl")) {
      var text = new String(Objects.requireNonNull(input).readAllBytes(), StandardCharsets.UTF_8);
      // An ObjectId that differs from run to run is recorded as *.
      text = text.replace("{\"$oid\":\"*\"}", "\"*\"").replace("{\"$date\":\"*\"}", "\"*\"");
      text = text.replaceAll("\\{\"\\$timestamp\":\"\\*\"}", "\"*\"");
      for (String line : text.split("\n")) {
        cases.add(new RecordedCase(BsonDocument.parse(line)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return cases;
  }

  String name() {
    return recording.getString("name").getValue();
  }

  BsonDocument command() {
    return recording.getDocument("command");
  }

  BsonDocument reply() {
    return recording.getDocument("reply");
  }

  /** The documents stored afterwards, of which one collection is looked at. */
  List<BsonDocument> after() {
    return documents(recording.getDocument("after", new BsonDocument()).values().iterator().next());
  }

  boolean hasAfter() {
    return recording.get("after") instanceof BsonDocument after && !after.isEmpty();
  }

  /** Whether the fields of new documents come in no particular order. */
  boolean isUnordered() {
    return recording.containsKey("flags");
  }

  /** Whether nothing but inserts comes before the command. */
  boolean hasPlainSetup() {
    return recording.getArray("setup", new BsonArray()).stream()
        .allMatch(command -> command.asDocument().containsKey("insert"));
  }

  List<BsonDocument> setup() {
    var documents = new ArrayList<BsonDocument>();
    for (BsonValue insert : recording.getArray("setup", new BsonArray())) {
      documents.addAll(documents(insert.asDocument().get("documents")));
    }
    return documents;
  }

  private static List<BsonDocument> documents(BsonValue array) {
    var documents = new ArrayList<BsonDocument>();
    array.asArray().forEach(value -> documents.add(value.asDocument()));
    return documents;
  }
}
