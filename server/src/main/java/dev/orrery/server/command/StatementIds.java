package dev.orrery.server.command;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.List;

/** The numbers that a session knows the statements of a retryable write by. */
record StatementIds(int first, List<Integer> all) {
  static final StatementIds FROM_ZERO = new StatementIds(0, List.of());

  /** Tells from which of the two fields the body has. */
  static StatementIds parse(CommandReader body, boolean hasFirst, boolean hasAll) {
    if (hasFirst && hasAll) {
      throw new CommandException(
          ErrorCode.INVALID_OPTIONS, "May not specify both stmtId and stmtIds in write command");
    }
    if (hasAll) {
      return new StatementIds(0, body.array("stmtIds").stream().map(StatementIds::id).toList());
    }
    return hasFirst ? new StatementIds((int) body.int64("stmtId", 0), List.of()) : FROM_ZERO;
  }

  private static int id(RawValue value) {
    if (value.type() != RawTypes.INT32) {
      throw FieldErrors.wrongType("stmtIds", value.type(), "int");
    }
    return value.asInt32();
  }

  /** The number of the statement at that place of the command. */
  int at(int index) {
    return index < all.size() ? all.get(index) : first + index;
  }
}
