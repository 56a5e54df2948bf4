package dev.orrery.server.command;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.List;

/** MongoDB's words about fields that are wrong, missing, doubled or unknown. */
public final class FieldErrors {
  static final List<String> NUMBERS = List.of("long", "int", "decimal", "double");
  public static final List<String> STRING_OR_NUMBERS =
      List.of("string", "long", "int", "decimal", "double");
  static final List<String> BOOL_OR_NUMBERS = List.of("bool", "long", "int", "decimal", "double");

  private FieldErrors() {}

  public static CommandException wrongType(String path, byte type, String expected) {
    return new CommandException(
        ErrorCode.TYPE_MISMATCH,
        "BSON field '%s' is the wrong type '%s', expected type '%s'"
            .formatted(path, BsonTypeNames.of(type), expected));
  }

  public static CommandException wrongType(String path, byte type, List<String> expected) {
    return new CommandException(
        ErrorCode.TYPE_MISMATCH,
        // MongoDB closes the quote before the bracket.
        "BSON field '%s' is the wrong type '%s', expected types '[%s']"
            .formatted(path, BsonTypeNames.of(type), String.join(", ", expected)));
  }

  public static CommandException missing(String path) {
    return new CommandException(
        ErrorCode.LOCATION_40414, "BSON field '" + path + "' is missing but a required field");
  }

  public static CommandException duplicate(String path) {
    return new CommandException(
        ErrorCode.LOCATION_40413, "BSON field '" + path + "' is a duplicate field");
  }

  static CommandException unknown(String path) {
    return new CommandException(
        ErrorCode.LOCATION_40415, "BSON field '" + path + "' is an unknown field.");
  }

  public static CommandException outOfRange(String field, String bound, long value) {
    return new CommandException(
        ErrorCode.LOCATION_51024,
        "BSON field '%s' value must be %s, actual value '%d'".formatted(field, bound, value));
  }

  static CommandException notOneOf(String path, String value) {
    return new CommandException(
        ErrorCode.BAD_VALUE,
        "Enumeration value '%s' for field '%s' is not a valid value.".formatted(value, path));
  }

  public static CommandException invalidNamespace(String message) {
    return new CommandException(ErrorCode.INVALID_NAMESPACE, message);
  }
}
