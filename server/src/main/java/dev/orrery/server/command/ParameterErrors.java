package dev.orrery.server.command;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.ServerParameters.Parameter;
import dev.orrery.value.RawTypes;
import org.bson.BsonValue;

/** MongoDB's words about parameters. */
public final class ParameterErrors {
  private ParameterErrors() {}

  public static CommandException noneToGet() {
    return new CommandException(ErrorCode.INVALID_OPTIONS, "no option found to get");
  }

  public static CommandException noneToSet() {
    return new CommandException(
        ErrorCode.INVALID_OPTIONS, "no option found to set, use help:true to see options ");
  }

  public static CommandException unknown(String name) {
    return new CommandException(
        ErrorCode.INVALID_OPTIONS,
        "attempted to set unrecognized parameter [%s], use help:true to see options "
            .formatted(name));
  }

  public static CommandException notSettable(String name) {
    return new CommandException(
        ErrorCode.ILLEGAL_OPERATION, "not allowed to change [" + name + "] at runtime");
  }

  static CommandException tooSmall(Parameter parameter, long value, long min) {
    return new CommandException(
        ErrorCode.BAD_VALUE,
        "Invalid value for parameter %s: %d is not greater than or equal to %d"
            .formatted(parameter.name(), value, min));
  }

  static CommandException badType(Parameter parameter, BsonValue value) {
    return new CommandException(
        ErrorCode.BAD_VALUE,
        "Invalid value for parameter %s: a value of type %s"
            .formatted(parameter.name(), BsonTypeNames.of(RawTypes.of(value.getBsonType()))));
  }
}
