package dev.orrery.compat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Plain JSON as maps, lists, strings, booleans and null, with fields in their order. Recorded
 * answers are not always valid extended JSON (what varies is a star), so they are compared in this
 * form.
 */
final class Json {
  private final String text;
  private int position;

  private Json(String text) {
    this.text = text;
  }

  static Object parse(String text) {
    return new Json(text).value();
  }

  private Object value() {
    char c = text.charAt(position);
    return switch (c) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> literal("true", true);
      case 'f' -> literal("false", false);
      case 'n' -> literal("null", null);
      default -> number();
    };
  }

  private Map<String, Object> object() {
    var map = new LinkedHashMap<String, Object>();
    position++;
    while (text.charAt(position) != '}') {
      String name = string();
      position++; // the colon
      map.put(name, value());
      skipComma();
    }
    position++;
    return map;
  }

  private List<Object> array() {
    var list = new ArrayList<>();
    position++;
    while (text.charAt(position) != ']') {
      list.add(value());
      skipComma();
    }
    position++;
    return list;
  }

  private void skipComma() {
    if (text.charAt(position) == ',') {
      position++;
    }
  }

  private Object literal(String word, Object value) {
    position += word.length();
    return value;
  }

  private Object number() {
    int start = position;
    while (position < text.length() && "+-.eE0123456789".indexOf(text.charAt(position)) >= 0) {
      position++;
    }
    return Long.valueOf(text.substring(start, position));
  }

  private String string() {
    var result = new StringBuilder();
    position++;
    for (; text.charAt(position) != '"'; position++) {
      char c = text.charAt(position);
      result.append(c == '\\' ? escape() : c);
    }
    position++;
    return result.toString();
  }

  private char escape() {
    char c = text.charAt(++position);
    return switch (c) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'u' -> {
        position += 4;
        yield (char) Integer.parseInt(text.substring(position - 3, position + 1), 16);
      }
      default -> c;
    };
  }

  /** Text by which two values can be compared. */
  static String text(Object value) {
    var out = new StringBuilder();
    write(value, out);
    return out.toString();
  }

  private static void write(Object value, StringBuilder out) {
    if (value instanceof Map<?, ?> map) {
      String separator = "{";
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        out.append(separator).append('"').append(entry.getKey()).append("\":");
        write(entry.getValue(), out);
        separator = ",";
      }
      out.append(map.isEmpty() ? "{}" : "}");
    } else if (value instanceof List<?> list) {
      String separator = "[";
      for (Object element : list) {
        out.append(separator);
        write(element, out);
        separator = ",";
      }
      out.append(list.isEmpty() ? "[]" : "]");
    } else if (value instanceof String string) {
      out.append('"').append(string).append('"');
    } else {
      out.append(value);
    }
  }
}
