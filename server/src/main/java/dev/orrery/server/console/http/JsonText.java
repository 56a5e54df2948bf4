package dev.orrery.server.console.http;

import java.util.ArrayDeque;
import java.util.Deque;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.jspecify.annotations.Nullable;

/** Writes JSON, value after value, without a tree of objects. Used by one thread. */
public final class JsonText {
  private static final JsonWriterSettings RELAXED =
      JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).build();
  private static final double DECIMALS = 10_000;
  private static final double WHOLE_MAX = 1e15;

  private final StringBuilder out = new StringBuilder(1024);
  private final Deque<Character> open = new ArrayDeque<>();
  private boolean isFirst = true;

  /** Begins with an object. */
  public static JsonText object() {
    return new JsonText().start('{', '}');
  }

  /** Begins with an array. */
  public static JsonText array() {
    return new JsonText().start('[', ']');
  }

  private JsonText start(char begin, char end) {
    out.append(begin);
    open.push(end);
    isFirst = true;
    return this;
  }

  private JsonText separate() {
    if (!isFirst) {
      out.append(',');
    }
    isFirst = false;
    return this;
  }

  private JsonText name(String name) {
    separate();
    quote(name);
    out.append(':');
    return this;
  }

  public JsonText beginObject(String name) {
    return name(name).start('{', '}');
  }

  public JsonText beginArray(String name) {
    return name(name).start('[', ']');
  }

  /** Begins an object inside an array. */
  public JsonText beginObject() {
    return separate().start('{', '}');
  }

  /** Begins an array inside an array. */
  public JsonText beginArray() {
    return separate().start('[', ']');
  }

  /** Ends what was begun last. */
  public JsonText end() {
    out.append((char) open.pop());
    isFirst = false;
    return this;
  }

  public JsonText field(String name, @Nullable String value) {
    name(name);
    text(value);
    return this;
  }

  public JsonText field(String name, long value) {
    name(name).out.append(value);
    return this;
  }

  public JsonText field(String name, double value) {
    name(name).number(value);
    return this;
  }

  public JsonText field(String name, boolean value) {
    name(name).out.append(value);
    return this;
  }

  /** A value of BSON in relaxed Extended JSON. */
  public JsonText field(String name, BsonValue value) {
    name(name).out.append(extended(value));
    return this;
  }

  /** What is JSON already. */
  public JsonText raw(String name, String json) {
    name(name).out.append(json);
    return this;
  }

  public JsonText item(@Nullable String value) {
    separate();
    text(value);
    return this;
  }

  public JsonText item(long value) {
    separate().out.append(value);
    return this;
  }

  public JsonText item(double value) {
    separate().number(value);
    return this;
  }

  public JsonText item(BsonValue value) {
    separate().out.append(extended(value));
    return this;
  }

  /** A value of BSON in relaxed Extended JSON. */
  public static String extended(BsonValue value) {
    if (value instanceof BsonDocument document) {
      return document.toJson(RELAXED);
    }
    String wrapped = new BsonDocument("v", value).toJson(RELAXED);
    return wrapped.substring(wrapped.indexOf(':') + 1, wrapped.length() - 1).strip();
  }

  private void text(@Nullable String value) {
    if (value == null) {
      out.append("null");
    } else {
      quote(value);
    }
  }

  /** Four decimals are more than anybody can see; what is no number is null. */
  private void number(double value) {
    double rounded = Math.rint(value * DECIMALS) / DECIMALS;
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      out.append("null");
    } else if (rounded == Math.rint(rounded) && Math.abs(rounded) < WHOLE_MAX) {
      out.append((long) rounded);
    } else {
      out.append(rounded);
    }
  }

  private void quote(String value) {
    out.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          // What ends a script or a line elsewhere is escaped, wherever the text may be put.
          if (c < 0x20 || c == '<' || c == '>' || c == '&' || c == 0x2028 || c == 0x2029) {
            out.append("\\u%04x".formatted((int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }

  @Override
  public String toString() {
    return out.toString();
  }
}
