package dev.orrery.server.transfer.source;

import java.io.StringWriter;
import org.bson.BsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.EncoderContext;
import org.bson.json.JsonWriter;
import org.bson.json.JsonWriterSettings;

/** Extended JSON as the MongoDB tools write it: without white space between its parts. */
public final class CompactJson {
  private static final BsonDocumentCodec CODEC = new BsonDocumentCodec();

  private CompactJson() {}

  public static String of(BsonDocument document, JsonWriterSettings settings) {
    var text = new StringWriter();
    var writer = new JsonWriter(text, settings);
    CODEC.encode(writer, document, EncoderContext.builder().build());
    return settings.isIndent() ? text.toString() : withoutSpaces(text.getBuffer());
  }

  /** The writer of the bson library puts spaces after colons and commas; outside of strings. */
  private static String withoutSpaces(StringBuffer json) {
    var compact = new StringBuilder(json.length());
    boolean isInString = false;
    for (int i = 0; i < json.length(); i++) {
      char character = json.charAt(i);
      if (isInString && character == '\\') {
        compact.append(character).append(json.charAt(++i));
        continue;
      }
      if (character == '"') {
        isInString = !isInString;
      }
      if (isInString || character != ' ') {
        compact.append(character);
      }
    }
    return compact.toString();
  }
}
