package dev.orrery.language.query;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** Commands and the answers that MongoDB 7.0 gave to them, with the data they were asked of. */
final class RecordedCases {
  private RecordedCases() {}

  /** The cases of one area; those that are a sequence of commands are left out. */
  static List<BsonDocument> of(String area) {
    return lines(area).stream().filter(line -> line.get("command").isDocument()).toList();
  }

  /** The documents of each shared data set, by its name. */
  static Map<String, List<BsonDocument>> dataSets() {
    return lines("_data").stream()
        .collect(
            Collectors.toMap(
                line -> line.getString("set").getValue(),
                line -> line.getArray("docs").stream().map(BsonValue::asDocument).toList()));
  }

  private static List<BsonDocument> lines(String name) {
    var stream = RecordedCases.class.getResourceAsStream("/oracle/" + name + ".jsonl");
    try (var reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      return reader.lines().map(RecordedCases::parse).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads extended JSON, but leaves {@code {$regex: ..., $options: ...}} the document it is: the
   * parser would take it for the older notation of a regular expression.
   */
  static BsonDocument parse(String json) {
    String hidden = json.replaceAll("\"\\$(regex|options)\"(?=\\s*:)", "\"~$1\"");
    return shown(BsonDocument.parse(hidden)).asDocument();
  }

  private static BsonValue shown(BsonValue value) {
    if (value.isArray()) {
      return new BsonArray(value.asArray().stream().map(RecordedCases::shown).toList());
    }
    if (!value.isDocument()) {
      return value;
    }
    var document = new BsonDocument();
    value
        .asDocument()
        .forEach((name, field) -> document.append(name.replace('~', '$'), shown(field)));
    return document;
  }
}
