package dev.orrery.language.expression;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.List;
import org.bson.BsonValue;

/**
 * The shapes of operator arguments: one operand, which may stand alone or in an array, or a list of
 * a certain length. A wrong number of operands is found when parsing.
 */
final class Arguments {
  private Arguments() {}

  static ExpressionOperator unary(UnaryCall.Function function) {
    return (name, argument, context) ->
        new UnaryCall(function, exactly(1, name, argument, context).get(0));
  }

  static ExpressionOperator binary(BinaryCall.Function function) {
    return (name, argument, context) -> {
      List<Expression> operands = exactly(2, name, argument, context);
      return new BinaryCall(function, operands.get(0), operands.get(1));
    };
  }

  static ExpressionOperator ternary(FunctionCall.Function function) {
    return (name, argument, context) ->
        new FunctionCall(function, exactly(3, name, argument, context));
  }

  static ExpressionOperator between(int min, int max, FunctionCall.Function function) {
    return (name, argument, context) ->
        new FunctionCall(function, between(min, max, name, argument, context));
  }

  static ExpressionOperator any(FunctionCall.Function function) {
    return any(FunctionCall.Grouping.NONE, function);
  }

  static ExpressionOperator any(FunctionCall.Grouping grouping, FunctionCall.Function function) {
    return (name, argument, context) ->
        new FunctionCall(function, grouping, list(argument, context));
  }

  /** The operands of an argument: the elements of an array, or the one that stands alone. */
  static List<Expression> list(BsonValue argument, ParseContext context) {
    return argument.isArray()
        ? Expressions.parseAll(argument.asArray(), context)
        : List.of(Expressions.parse(argument, context));
  }

  static List<Expression> exactly(
      int count, String name, BsonValue argument, ParseContext context) {
    List<Expression> operands = list(argument, context);
    if (operands.size() != count) {
      throw new CommandException(
          ErrorCode.LOCATION_16020,
          String.format(
              "Expression %s takes exactly %d arguments. %d were passed in.",
              name, count, operands.size()));
    }
    return operands;
  }

  static List<Expression> between(
      int min, int max, String name, BsonValue argument, ParseContext context) {
    List<Expression> operands = list(argument, context);
    if (operands.size() < min || operands.size() > max) {
      throw new CommandException(
          ErrorCode.LOCATION_28667,
          String.format(
              "Expression %s takes at least %d arguments, and at most %d, but %d were passed in.",
              name, min, max, operands.size()));
    }
    return operands;
  }
}
