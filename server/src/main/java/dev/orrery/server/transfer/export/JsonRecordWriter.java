package dev.orrery.server.transfer.export;

import dev.orrery.server.transfer.source.CompactJson;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.bson.RawBsonDocument;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;

/** Writes extended JSON: a document in each line, or an array of them. */
public final class JsonRecordWriter implements RecordWriter {
  private final OutputStream out;
  private final JsonWriterSettings settings;
  private final boolean isArray;
  private boolean isFirst = true;

  public JsonRecordWriter(
      OutputStream out, boolean isCanonical, boolean isPretty, boolean isArray) {
    this.out = out;
    this.isArray = isArray;
    this.settings =
        JsonWriterSettings.builder()
            .outputMode(isCanonical ? JsonMode.EXTENDED : JsonMode.RELAXED)
            .indent(isPretty)
            .build();
  }

  @Override
  public void write(RawBsonDocument document) throws IOException {
    String before = isArray ? isFirst ? "[" : "," : "";
    isFirst = false;
    String after = isArray ? "" : "\n";
    out.write(
        (before + CompactJson.of(document, settings) + after).getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void close() throws IOException {
    if (isArray) {
      out.write((isFirst ? "[]\n" : "]\n").getBytes(StandardCharsets.UTF_8));
    }
    out.close();
  }
}
