package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.CommandContext;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import org.jspecify.annotations.Nullable;

/** Names of the scopes in which what requests cost is counted: each user has names of its own. */
final class UnitScopes {
  private static final int NAME_MAX = 200;

  private UnitScopes() {}

  static void requireName(String name) {
    if (name.isEmpty() || name.length() > NAME_MAX) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "the name of a scope has 1 to " + NAME_MAX + " characters");
    }
  }

  static String key(CommandContext context, String name) {
    return context.connection().login().owner() + "/" + name;
  }

  static @Nullable String comment(CommandContext context) {
    RawValue comment = context.comment();
    if (comment == null) {
      return null;
    }
    return comment.type() == RawTypes.STRING
        ? comment.asString()
        : BsonText.stored(comment.toBsonValue());
  }
}
