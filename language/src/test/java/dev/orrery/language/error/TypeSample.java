package dev.orrery.language.error;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * A value of one BSON type with the text that messages show for it; {@code cases/types.json} has
 * one of every type. Cases write {@code <value>}, {@code <type>} and {@code <text>} for it.
 */
public record TypeSample(String type, BsonValue value, String text) {
  public static List<TypeSample> all() {
    return cases("types.json").stream()
        .map(
            one ->
                new TypeSample(
                    one.getString("type").getValue(),
                    one.get("value"),
                    one.getString("text").getValue()))
        .toList();
  }

  /** The cases of a file under {@code cases}. */
  public static List<BsonDocument> cases(String file) {
    try (InputStream in = TypeSample.class.getResourceAsStream("/cases/" + file)) {
      var text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return BsonArray.parse(text).stream().map(BsonValue::asDocument).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The template with this value in the place of {@code <value>}. */
  public BsonDocument fill(BsonDocument template) {
    var filled = new BsonDocument();
    for (Map.Entry<String, BsonValue> field : template.entrySet()) {
      filled.append(field.getKey(), fill(field.getValue()));
    }
    return filled;
  }

  private BsonValue fill(BsonValue template) {
    return switch (template.getBsonType()) {
      case STRING -> template.asString().getValue().equals("<value>") ? value : template;
      case DOCUMENT -> fill(template.asDocument());
      case ARRAY -> new BsonArray(template.asArray().stream().map(this::fill).toList());
      default -> template;
    };
  }

  /** The message about this value. */
  public String words(String template) {
    return template.replace("<type>", type).replace("<text>", text);
  }
}
