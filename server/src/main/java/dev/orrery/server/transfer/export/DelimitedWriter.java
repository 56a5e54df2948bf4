package dev.orrery.server.transfer.export;

import dev.orrery.server.transfer.source.CompactJson;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.StringJoiner;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.jspecify.annotations.Nullable;

/**
 * Writes chosen fields as comma- or tab-separated values. A missing field is empty, a document or
 * array is extended JSON, an ObjectId is {@code ObjectId(...)}, as mongoexport has it.
 */
public final class DelimitedWriter implements RecordWriter {
  private static final JsonWriterSettings RELAXED =
      JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).build();
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  private final OutputStream out;
  private final char delimiter;
  private final List<FieldPath> fields;

  public DelimitedWriter(OutputStream out, char delimiter, List<String> fields, boolean hasHeader)
      throws IOException {
    this.out = out;
    this.delimiter = delimiter;
    this.fields = fields.stream().map(FieldPath::parse).toList();
    if (hasHeader) {
      writeRow(fields);
    }
  }

  @Override
  public void write(RawBsonDocument document) throws IOException {
    RawDocument raw = RawDocument.of(document);
    var row = new ArrayList<String>(fields.size());
    for (FieldPath field : fields) {
      row.add(text(find(raw, field)));
    }
    writeRow(row);
  }

  /** The value at a path; a number in the path is a position where there is an array. */
  private static @Nullable RawValue find(RawDocument document, FieldPath path) {
    RawDocument current = document;
    RawValue value = null;
    for (int i = 0; i < path.size(); i++) {
      value = current == null ? null : path.field(current, i);
      boolean isNested = value != null && (value.isDocument() || value.isArray());
      current = isNested ? value.asDocument() : null;
    }
    return value;
  }

  private static String text(@Nullable RawValue raw) {
    if (raw == null) {
      return "";
    }
    BsonValue value = raw.toBsonValue();
    return switch (value.getBsonType()) {
      case NULL, UNDEFINED -> "";
      case DOUBLE -> number(value.asDouble().getValue());
      case STRING -> value.asString().getValue();
      case BINARY -> Base64.getEncoder().encodeToString(value.asBinary().getData());
      case OBJECT_ID -> "ObjectId(" + value.asObjectId().getValue().toHexString() + ")";
      case BOOLEAN -> Boolean.toString(value.asBoolean().getValue());
      case DATE_TIME -> DATE.format(Instant.ofEpochMilli(value.asDateTime().getValue()));
      case INT32 -> Integer.toString(value.asInt32().getValue());
      case INT64 -> Long.toString(value.asInt64().getValue());
      case DECIMAL128 -> value.asDecimal128().getValue().toString();
      default -> json(value);
    };
  }

  private static String number(double value) {
    return value == (long) value && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  private static String json(BsonValue value) {
    String json = CompactJson.of(new BsonDocument("v", value), RELAXED);
    return json.substring("{\"v\":".length(), json.length() - 1);
  }

  private void writeRow(List<String> values) throws IOException {
    var row = new StringJoiner(String.valueOf(delimiter), "", "\n");
    for (String value : values) {
      row.add(delimiter == ',' ? quoted(value) : value.replaceAll("[\t\r\n]", " "));
    }
    out.write(row.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static String quoted(String value) {
    boolean isPlain =
        value.indexOf(',') < 0
            && value.indexOf('"') < 0
            && value.indexOf('\n') < 0
            && value.indexOf('\r') < 0
            && !value.startsWith(" ");
    return isPlain ? value : '"' + value.replace("\"", "\"\"") + '"';
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
