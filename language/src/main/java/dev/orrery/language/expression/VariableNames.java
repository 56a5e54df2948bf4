package dev.orrery.language.expression;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;

/** Which names variables may have: MongoDB keeps those in capitals to itself. */
public final class VariableNames {
  private VariableNames() {}

  /** A name that a user binds: it starts with a small letter or is CURRENT. */
  public static void requireWritable(String name) {
    requireNotEmpty(name);
    if (name.equals("CURRENT")) {
      return;
    }
    char first = name.charAt(0);
    if (!isSmall(first) && first < 0x80) {
      throw failed("'" + name + "' starts with an invalid character for a user variable name");
    }
    requireRest(name);
  }

  static void requireReadable(String name) {
    requireNotEmpty(name);
    char first = name.charAt(0);
    if (!isSmall(first) && !isCapital(first) && first < 0x80) {
      throw failed("'" + name + "' starts with an invalid character for a variable name");
    }
    requireRest(name);
  }

  private static void requireNotEmpty(String name) {
    if (name.isEmpty()) {
      throw failed("empty variable names are not allowed");
    }
  }

  private static void requireRest(String name) {
    for (int i = 1; i < name.length(); i++) {
      char c = name.charAt(i);
      if (!isSmall(c) && !isCapital(c) && !(c >= '0' && c <= '9') && c != '_' && c < 0x80) {
        throw failed(
            "'" + name + "' contains an invalid character for a variable name: '" + c + "'");
      }
    }
  }

  private static boolean isSmall(char c) {
    return c >= 'a' && c <= 'z';
  }

  private static boolean isCapital(char c) {
    return c >= 'A' && c <= 'Z';
  }

  private static CommandException failed(String message) {
    return new CommandException(ErrorCode.FAILED_TO_PARSE, message);
  }
}
