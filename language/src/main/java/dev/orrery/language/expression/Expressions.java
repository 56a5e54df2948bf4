package dev.orrery.language.expression;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** Turns BSON into expressions. The way in for the other packages. */
public final class Expressions {
  private Expressions() {}

  /**
   * An expression: a path ("$a.b"), a variable ("$$ROOT"), an operator, an array or object of
   * expressions, or any other value, which stands for itself.
   */
  public static Expression parse(BsonValue value, ParseContext context) {
    return switch (value.getBsonType()) {
      case STRING -> parseString(value, context);
      case DOCUMENT -> parseDocument(value.asDocument(), context);
      case ARRAY -> new ArrayLiteral(parseAll(value.asArray(), context));
      default -> new Constant(value);
    };
  }

  /** Whether {@code name} is an expression operator, implemented or not. */
  public static boolean isOperator(String name) {
    return ExpressionOperators.TABLE.isKnown(name);
  }

  /** The names of all operators there are. */
  public static Set<String> operators() {
    return ExpressionOperators.TABLE.names();
  }

  /** The operator expression {@code {$name: argument}}. */
  public static Expression parseOperator(String name, BsonValue argument, ParseContext context) {
    ExpressionOperator operator = ExpressionOperators.TABLE.find(name);
    if (operator == null) {
      throw new CommandException(
          ErrorCode.INVALID_PIPELINE_OPERATOR, "Unrecognized expression '" + name + "'");
    }
    return operator.parse(name, argument, context);
  }

  /** The path of a field of the current document, without the dollar: {@code "a.b"}. */
  public static Expression field(String path, ParseContext context) {
    return new PathExpression(
        context.variable("CURRENT"), "CURRENT." + path, FieldNames.split(path));
  }

  static List<Expression> parseAll(BsonArray values, ParseContext context) {
    var expressions = new ArrayList<Expression>(values.size());
    for (BsonValue value : values) {
      expressions.add(parse(value, context));
    }
    return expressions;
  }

  private static Expression parseString(BsonValue value, ParseContext context) {
    String text = value.asString().getValue();
    return text.startsWith("$") ? parsePath(text, context) : new Constant(value);
  }

  private static Expression parsePath(String text, ParseContext context) {
    if (text.length() == 1) {
      throw new CommandException(
          ErrorCode.LOCATION_16872, "'$' by itself is not a valid FieldPath");
    }
    if (text.charAt(1) != '$') {
      return field(text.substring(1), context);
    }
    String path = text.substring(2);
    int dot = path.indexOf('.');
    String name = dot < 0 ? path : path.substring(0, dot);
    VariableNames.requireReadable(name);
    Variable variable = context.variable(name);
    List<String> fields = dot < 0 ? List.of() : tail(FieldNames.split(path));
    return new PathExpression(variable, path, fields);
  }

  private static List<String> tail(List<String> names) {
    return names.subList(1, names.size());
  }

  private static Expression parseDocument(BsonDocument document, ParseContext context) {
    if (document.isEmpty()) {
      return new ObjectLiteral(List.of(), List.of());
    }
    String first = document.getFirstKey();
    if (!first.startsWith("$")) {
      return parseObject(document, context);
    }
    if (document.size() != 1) {
      throw new CommandException(
          ErrorCode.LOCATION_15983,
          "An object representing an expression must have exactly one field: "
              + BsonText.document(document));
    }
    return parseOperator(first, document.get(first), context);
  }

  private static Expression parseObject(BsonDocument document, ParseContext context) {
    var names = new ArrayList<String>(document.size());
    var values = new ArrayList<Expression>(document.size());
    for (var field : document.entrySet()) {
      FieldNames.require(field.getKey());
      names.add(field.getKey());
      values.add(parse(field.getValue(), context));
    }
    return new ObjectLiteral(names, values);
  }
}
