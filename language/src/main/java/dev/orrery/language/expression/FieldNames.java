package dev.orrery.language.expression;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Splits and checks dotted field paths as the aggregation does. */
public final class FieldNames {
  private static final int DEPTH_MAX = 200;

  /** The fields of a DBRef, and those that MongoDB itself adds to documents. */
  private static final Set<String> DOLLAR_NAMES =
      Set.of("$db", "$id", "$recordId", "$ref", "$searchScore", "$searchSortValues", "$sortKey");

  private FieldNames() {}

  /** The names in a dotted path, each checked. */
  public static List<String> split(String path) {
    if (path.isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_40352, "FieldPath cannot be constructed with empty string");
    }
    if (path.endsWith(".")) {
      throw new CommandException(ErrorCode.LOCATION_40353, "FieldPath must not end with a '.'.");
    }
    List<String> names = new ArrayList<>();
    int start = 0;
    for (int dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', start)) {
      names.add(path.substring(start, dot));
      start = dot + 1;
    }
    names.add(path.substring(start));
    if (names.size() > DEPTH_MAX) {
      throw new CommandException(ErrorCode.OVERFLOW, "FieldPath is too long");
    }
    names.forEach(FieldNames::require);
    return names;
  }

  /** One name, as a field of an object expression: no dots, no dollar in front. */
  public static void require(String name) {
    if (name.isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_15998, "FieldPath field names may not be empty strings.");
    }
    if (name.charAt(0) == '$' && !DOLLAR_NAMES.contains(name)) {
      throw new CommandException(
          ErrorCode.LOCATION_16410,
          "FieldPath field names may not start with '$'. Consider using $getField or $setField.");
    }
    if (name.indexOf('\0') >= 0) {
      throw new CommandException(
          ErrorCode.LOCATION_16411, "FieldPath field names may not contain '\0'.");
    }
    if (name.indexOf('.') >= 0) {
      throw new CommandException(
          ErrorCode.LOCATION_16412,
          "FieldPath field names may not contain '.'. Consider using $getField or $setField.");
    }
  }
}
