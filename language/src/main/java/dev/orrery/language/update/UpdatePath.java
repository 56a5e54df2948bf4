package dev.orrery.language.update;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;

/** The dotted path of an update operator, checked: {@code a.0.b}, {@code a.$.b}, {@code a.$[x]}. */
record UpdatePath(String text, List<String> parts) {
  private static final long INDEX_MAX = 0xFFFF_FFFFL;

  UpdatePath {
    parts = List.copyOf(parts);
  }

  /** Parses the path of a field that an operator changes. */
  static UpdatePath parse(String text) {
    if (text.isEmpty()) {
      throw new CommandException(ErrorCode.EMPTY_FIELD_NAME, "An empty update path is not valid.");
    }
    var parts = split(text);
    if (parts.contains("")) {
      throw new CommandException(
          ErrorCode.EMPTY_FIELD_NAME,
          "The update path '" + text + "' contains an empty field name, which is not allowed.");
    }
    var path = new UpdatePath(text, parts);
    path.requirePlacesOfPosition();
    return path;
  }

  static List<String> split(String text) {
    var parts = new ArrayList<String>();
    int start = 0;
    for (int dot = text.indexOf('.'); dot >= 0; dot = text.indexOf('.', start)) {
      parts.add(text.substring(start, dot));
      start = dot + 1;
    }
    parts.add(text.substring(start));
    return parts;
  }

  private void requirePlacesOfPosition() {
    int count = 0;
    for (String part : parts) {
      count += isPosition(part) ? 1 : 0;
    }
    if (count > 1) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "Too many positional (i.e. '$') elements found in path '" + text + "'");
    }
    if (count == 1 && isPosition(parts.get(0))) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "Cannot have positional (i.e. '$') element in the first position in path '" + text + "'");
    }
  }

  int size() {
    return parts.size();
  }

  String part(int index) {
    return parts.get(index);
  }

  boolean isPositional() {
    for (String part : parts) {
      if (isPosition(part)) {
        return true;
      }
    }
    return false;
  }

  /** Whether it is not known before a document is seen which elements it leads to. */
  boolean isDynamic() {
    return parts.stream().anyMatch(part -> isPosition(part) || isIdentifier(part));
  }

  /** The first parts, dotted. */
  String prefix(int count) {
    return String.join(".", parts.subList(0, count));
  }

  /** {@code $}: the element that the filter matched. */
  static boolean isPosition(String part) {
    return part.equals("$");
  }

  /** {@code $[]} or {@code $[identifier]}: all elements, or those that an array filter selects. */
  static boolean isIdentifier(String part) {
    return part.length() >= 3 && part.startsWith("$[") && part.endsWith("]");
  }

  /** The position in an array that a part stands for, or -1. */
  static long arrayIndex(String part) {
    if (part.isEmpty() || part.length() > 20) {
      return -1;
    }
    long index = 0;
    for (int i = 0; i < part.length(); i++) {
      int digit = part.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      index = index * 10 + digit;
      if (index > INDEX_MAX) {
        return -1;
      }
    }
    return index;
  }
}
