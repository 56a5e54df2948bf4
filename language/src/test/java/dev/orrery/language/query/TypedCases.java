package dev.orrery.language.query;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Cases that put a value of every BSON type into the place of a question mark. A case lists the
 * types that are taken ("all" but the others, or some), the error for the rest, and the errors that
 * single types get; {@code %value} and {@code %type} in the words stand for the value.
 */
public final class TypedCases {
  private static final String PLACE = "?";

  private TypedCases() {}

  /** A value of one BSON type and how MongoDB writes it. */
  public record Sample(String type, BsonValue value, String text) {
    static Sample of(BsonDocument sample) {
      return new Sample(
          sample.getString("type").getValue(),
          sample.get("value"),
          sample.getString("text").getValue());
    }

    /** The template with this value in its place. */
    public BsonValue into(BsonValue template) {
      if (template.isArray()) {
        return new BsonArray(template.asArray().stream().map(this::into).toList());
      }
      if (template.isDocument()) {
        var document = new BsonDocument();
        template.asDocument().forEach((name, field) -> document.append(name, into(field)));
        return document;
      }
      return template.equals(new BsonString(PLACE)) ? value : template;
    }

    /** Code and words that the case expects for this value, null if the value is taken. */
    public @Nullable BsonArray error(BsonDocument test) {
      var others = test.getDocument("others", new BsonDocument());
      if (others.containsKey(type)) {
        return filled(others.getArray(type));
      }
      var takes = test.get("takes");
      boolean isTaken = takes.isString() || takes.asArray().contains(new BsonString(type));
      return isTaken ? null : filled(test.getArray("otherwise"));
    }

    private BsonArray filled(BsonArray error) {
      String words = error.get(1).asString().getValue();
      String shown = words.replace("%value", text).replace("%type", type);
      return new BsonArray(
          List.of(new BsonInt32(error.get(0).asInt32().getValue()), new BsonString(shown)));
    }
  }

  /** One value of every BSON type. */
  public static List<Sample> samples() {
    return load("query/types").getArray("values").stream()
        .map(value -> Sample.of(value.asDocument()))
        .toList();
  }

  /** Reads a file of cases; a list of them is called "cases". */
  public static BsonDocument load(String file) {
    try (var stream = TypedCases.class.getResourceAsStream("/cases/" + file + ".json")) {
      String json = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
      return RecordedCases.parse(json.startsWith("[") ? "{\"cases\": " + json + "}" : json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Code and words of an answer as a case lists them, null if it is no error. */
  public static @Nullable BsonArray errorOf(BsonDocument answer) {
    BsonValue code = answer.getOrDefault("code", BsonNull.VALUE);
    return code.isNull() ? null : new BsonArray(List.of(code, answer.get("errmsg")));
  }
}
