package dev.orrery.language.error;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonJavaScriptWithScope;
import org.bson.BsonRegularExpression;
import org.bson.BsonTimestamp;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * BSON as MongoDB writes it into its messages. It has two dialects: that of stored elements, {@code
 * { a: 1.0, b: [ "x" ] }}, and that of values inside the aggregation, {@code {a: 1, b: ["x"]}}.
 */
public final class BsonText {
  private static final int STRING_BYTES_MAX = 160;
  private static final int STRING_BYTES_SHOWN = 150;
  private static final int SHORT_BYTES_MAX = 80;
  private static final int SHORT_BYTES_SHOWN = 70;
  private static final int DEPTH_MAX = 100;

  /** As long as a line of MongoDB's log; a message that shows more helps nobody. */
  public static final int TEXT_MAX = 10 * 1024;

  private static final DateTimeFormatter ISO_MILLIS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final long YEAR_0 = -62_167_219_200_000L;
  private static final long YEAR_10000 = 253_402_300_800_000L;

  private BsonText() {}

  /** {@code int}, {@code objectId}, ... as {@code $type} names them; {@code missing} for null. */
  public static String typeName(@Nullable BsonValue value) {
    return value == null ? "missing" : typeName(value.getBsonType());
  }

  public static String typeName(BsonType type) {
    return switch (type) {
      case END_OF_DOCUMENT -> "missing";
      case DOUBLE -> "double";
      case STRING -> "string";
      case DOCUMENT -> "object";
      case ARRAY -> "array";
      case BINARY -> "binData";
      case UNDEFINED -> "undefined";
      case OBJECT_ID -> "objectId";
      case BOOLEAN -> "bool";
      case DATE_TIME -> "date";
      case NULL -> "null";
      case REGULAR_EXPRESSION -> "regex";
      case DB_POINTER -> "dbPointer";
      case JAVASCRIPT -> "javascript";
      case SYMBOL -> "symbol";
      case JAVASCRIPT_WITH_SCOPE -> "javascriptWithScope";
      case INT32 -> "int";
      case TIMESTAMP -> "timestamp";
      case INT64 -> "long";
      case DECIMAL128 -> "decimal";
      case MIN_KEY -> "minKey";
      case MAX_KEY -> "maxKey";
    };
  }

  /** A stored document: {@code { k: 1, v: "x", l: [ 1, 2 ] }}. */
  public static String document(BsonDocument document) {
    return stored(document);
  }

  /** A stored element with its name: {@code k: [ 1, 2 ]}. */
  public static String element(String name, BsonValue value) {
    return name + ": " + stored(value);
  }

  /** An element as the update code shows it: {@code {k: [ 1, 2 ]}}. */
  public static String bracedElement(String name, BsonValue value) {
    return '{' + element(name, value) + '}';
  }

  /** A stored value without its name; long strings and binaries are cut. */
  public static String stored(BsonValue value) {
    var text = new StringBuilder();
    appendStored(text, value, 0);
    return cut(text);
  }

  /** A number with MongoDB's internal type name: {@code (NumberInt)5}. */
  public static String typedNumber(BsonValue value) {
    String type =
        switch (value.getBsonType()) {
          case INT32 -> "NumberInt";
          case INT64 -> "NumberLong";
          case DOUBLE -> "NumberDouble";
          case DECIMAL128 -> "NumberDecimal";
          default -> throw new IllegalArgumentException("not a number: " + value.getBsonType());
        };
    return '(' + type + ')' + aggregated(value);
  }

  /** A value as expressions and stages show it: {@code {_id: 1, a: ["x"]}}; MISSING for null. */
  public static String aggregated(@Nullable BsonValue value) {
    var text = new StringBuilder();
    appendAggregated(text, value);
    return cut(text);
  }

  /** The text, or its beginning when it is long. */
  public static String cut(StringBuilder text) {
    return isFull(text) ? text.substring(0, TEXT_MAX) + "..." : text.toString();
  }

  /** Whether {@link #cut} drops what comes now: whoever writes such a text can stop. */
  public static boolean isFull(StringBuilder text) {
    return text.length() > TEXT_MAX;
  }

  /** A date in ISO format, in UTC with milliseconds; outside the years 0 to 9999 it has none. */
  public static String isoDate(long millis) {
    return millis < YEAR_0 || millis >= YEAR_10000
        ? "illegal date"
        : ISO_MILLIS.format(Instant.ofEpochMilli(millis));
  }

  /** A stored double: like {@code %.16g}, with {@code .0} where that has no point. */
  static String storedDouble(double value) {
    // MongoDB looks for '.', 'E' and 'N' only, so it writes nan.0 and 1e+300.0 too.
    String text = DoubleText.digits(value, 16);
    return text.indexOf('.') < 0 ? text + ".0" : text;
  }

  private static void appendStored(StringBuilder out, BsonValue value, int depth) {
    if (depth > DEPTH_MAX) {
      out.append("...");
      return;
    }
    switch (value.getBsonType()) {
      case DOUBLE -> out.append(storedDouble(value.asDouble().getValue()));
      case STRING -> appendCut(out, value.asString().getValue());
      case DOCUMENT -> appendStoredDocument(out, value.asDocument(), depth);
      case ARRAY -> appendStoredArray(out, value, depth);
      case BINARY -> out.append(storedBinary(value.asBinary()));
      case OBJECT_ID -> out.append("ObjectId('").append(value.asObjectId().getValue()).append("')");
      case DATE_TIME -> out.append("new Date(").append(value.asDateTime().getValue()).append(')');
      case DB_POINTER -> {
        var pointer = value.asDBPointer();
        out.append("DBRef('").append(pointer.getNamespace()).append("',");
        out.append(pointer.getId()).append(')');
      }
      case JAVASCRIPT -> out.append(cutCode(value.asJavaScript().getCode()));
      case SYMBOL -> appendCut(out, value.asSymbol().getSymbol());
      case JAVASCRIPT_WITH_SCOPE -> {
        BsonJavaScriptWithScope code = value.asJavaScriptWithScope();
        out.append("CodeWScope( ").append(code.getCode()).append(", ");
        appendStored(out, code.getScope(), depth + 1);
        out.append(')');
      }
      default -> appendPlain(out, value);
    }
  }

  private static void appendStoredDocument(StringBuilder out, BsonDocument document, int depth) {
    if (document.isEmpty()) {
      out.append("{}");
      return;
    }
    String separator = "{ ";
    for (Map.Entry<String, BsonValue> field : document.entrySet()) {
      if (isFull(out)) {
        return;
      }
      out.append(separator).append(field.getKey()).append(": ");
      appendStored(out, field.getValue(), depth + 1);
      separator = ", ";
    }
    out.append(" }");
  }

  private static void appendStoredArray(StringBuilder out, BsonValue array, int depth) {
    if (array.asArray().isEmpty()) {
      out.append("[]");
      return;
    }
    String separator = "[ ";
    for (BsonValue value : array.asArray()) {
      if (isFull(out)) {
        return;
      }
      out.append(separator);
      appendStored(out, value, depth + 1);
      separator = ", ";
    }
    out.append(" ]");
  }

  private static void appendCut(StringBuilder out, String string) {
    String start = string.substring(0, Math.min(string.length(), STRING_BYTES_MAX));
    byte[] bytes = start.getBytes(StandardCharsets.UTF_8);
    if (bytes.length + 1 > STRING_BYTES_MAX) {
      out.append('"');
      out.append(new String(bytes, 0, STRING_BYTES_SHOWN, StandardCharsets.UTF_8));
      out.append("...\"");
    } else {
      out.append('"').append(string).append('"');
    }
  }

  private static String cutCode(String code) {
    byte[] bytes = code.getBytes(StandardCharsets.UTF_8);
    return bytes.length + 1 > SHORT_BYTES_MAX
        ? new String(bytes, 0, SHORT_BYTES_SHOWN, StandardCharsets.UTF_8) + "..."
        : code;
  }

  private static String storedBinary(BsonBinary binary) {
    byte[] data = binary.getData();
    if (binary.getType() == 4 && data.length == 16) {
      String hex = HexFormat.of().formatHex(data);
      return String.format(
          "UUID(\"%s-%s-%s-%s-%s\")",
          hex.substring(0, 8),
          hex.substring(8, 12),
          hex.substring(12, 16),
          hex.substring(16, 20),
          hex.substring(20));
    }
    var upper = HexFormat.of().withUpperCase();
    String shown =
        data.length > SHORT_BYTES_MAX
            ? upper.formatHex(data, 0, SHORT_BYTES_SHOWN) + "..."
            : upper.formatHex(data);
    return "BinData(" + (binary.getType() & 0xff) + ", " + shown + ")";
  }

  private static void appendAggregated(StringBuilder out, @Nullable BsonValue value) {
    if (value == null) {
      out.append("MISSING");
      return;
    }
    switch (value.getBsonType()) {
      case DOUBLE -> out.append(DoubleText.brief(value.asDouble().getValue()));
      case STRING -> out.append('"').append(value.asString().getValue()).append('"');
      case DOCUMENT -> appendAggregatedDocument(out, value.asDocument());
      case ARRAY -> appendAggregatedArray(out, value);
      case BINARY ->
          out.append("BinData(")
              .append(value.asBinary().getType() & 0xff)
              .append(", \"")
              .append(HexFormat.of().withUpperCase().formatHex(value.asBinary().getData()))
              .append("\")");
      case OBJECT_ID -> out.append(value.asObjectId().getValue());
      case DATE_TIME -> out.append(isoDate(value.asDateTime().getValue()));
      case DB_POINTER ->
          out.append("DBRef(\"")
              .append(value.asDBPointer().getNamespace())
              .append("\", ")
              .append(value.asDBPointer().getId())
              .append(')');
      case JAVASCRIPT -> out.append("Code(\"").append(value.asJavaScript().getCode()).append("\")");
      case SYMBOL -> out.append("Symbol(\"").append(value.asSymbol().getSymbol()).append("\")");
      case JAVASCRIPT_WITH_SCOPE ->
          out.append("CodeWScope(\"")
              .append(value.asJavaScriptWithScope().getCode())
              .append("\", ")
              .append(stored(value.asJavaScriptWithScope().getScope()))
              .append(')');
      default -> appendPlain(out, value);
    }
  }

  private static void appendAggregatedDocument(StringBuilder out, BsonDocument document) {
    out.append('{');
    String separator = "";
    for (Map.Entry<String, BsonValue> field : document.entrySet()) {
      if (isFull(out)) {
        return;
      }
      out.append(separator).append(field.getKey()).append(": ");
      appendAggregated(out, field.getValue());
      separator = ", ";
    }
    out.append('}');
  }

  private static void appendAggregatedArray(StringBuilder out, BsonValue array) {
    out.append('[');
    String separator = "";
    for (BsonValue value : array.asArray()) {
      if (isFull(out)) {
        return;
      }
      out.append(separator);
      appendAggregated(out, value);
      separator = ", ";
    }
    out.append(']');
  }

  /** The types that both dialects write alike. */
  private static void appendPlain(StringBuilder out, BsonValue value) {
    switch (value.getBsonType()) {
      case UNDEFINED -> out.append("undefined");
      case BOOLEAN -> out.append(value.asBoolean().getValue());
      case NULL -> out.append("null");
      case REGULAR_EXPRESSION -> {
        BsonRegularExpression regex = value.asRegularExpression();
        out.append('/').append(regex.getPattern()).append('/').append(regex.getOptions());
      }
      case INT32 -> out.append(value.asInt32().getValue());
      case TIMESTAMP -> {
        BsonTimestamp timestamp = value.asTimestamp();
        out.append("Timestamp(").append(Integer.toUnsignedString(timestamp.getTime()));
        out.append(", ").append(Integer.toUnsignedString(timestamp.getInc())).append(')');
      }
      case INT64 -> out.append(value.asInt64().getValue());
      case DECIMAL128 -> out.append(value.asDecimal128().getValue());
      case MIN_KEY -> out.append("MinKey");
      case MAX_KEY -> out.append("MaxKey");
      default -> throw new IllegalArgumentException("no text for " + value.getBsonType());
    }
  }
}
