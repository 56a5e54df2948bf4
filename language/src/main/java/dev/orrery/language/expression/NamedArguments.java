package dev.orrery.language.expression;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** The arguments of an operator that takes them by name: {@code {input: ..., as: ...}}. */
final class NamedArguments {
  /**
   * What an operator calls its arguments, and what it says when they are not an object ({@code %s}
   * is the operator, then the type found) or when there is one more ({@code %s}: operator, name).
   */
  record Shape(
      List<String> names,
      ErrorCode notObject,
      String notObjectText,
      ErrorCode unknown,
      String unknownText) {}

  private final String operator;
  private final BsonDocument arguments;
  private final ParseContext context;

  private NamedArguments(String operator, BsonDocument arguments, ParseContext context) {
    this.operator = operator;
    this.arguments = arguments;
    this.context = context;
  }

  static NamedArguments parse(
      String operator, BsonValue argument, ParseContext context, Shape shape) {
    if (!argument.isDocument()) {
      throw new CommandException(
          shape.notObject,
          String.format(shape.notObjectText, operator, BsonText.typeName(argument)));
    }
    for (String name : argument.asDocument().keySet()) {
      if (!shape.names.contains(name)) {
        throw new CommandException(shape.unknown, String.format(shape.unknownText, operator, name));
      }
    }
    return new NamedArguments(operator, argument.asDocument(), context);
  }

  boolean has(String name) {
    return arguments.containsKey(name);
  }

  @Nullable BsonValue raw(String name) {
    return arguments.get(name);
  }

  BsonDocument document() {
    return arguments;
  }

  /** The expression of that name, missing if the user left it out. */
  Expression optional(String name) {
    BsonValue value = arguments.get(name);
    return value == null ? Constant.MISSING : Expressions.parse(value, context);
  }

  /** The expression of that name; {@code text} ({@code %s}: operator) if it was left out. */
  Expression required(String name, ErrorCode code, String text) {
    requirePresent(name, code, text);
    return Expressions.parse(arguments.get(name), context);
  }

  void requirePresent(String name, ErrorCode code, String text) {
    if (!has(name)) {
      throw new CommandException(code, String.format(text, operator));
    }
  }
}
