package dev.orrery.server.update;

import dev.orrery.server.error.BsonText;
import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.server.expression.Expression;
import dev.orrery.server.expression.Expressions;
import dev.orrery.server.expression.ParseContext;
import dev.orrery.server.expression.Scope;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** The stages an update may use: they compute, keep and drop fields, or the whole document. */
final class PipelineStages {
  private PipelineStages() {}

  /** {@code $set}, {@code $addFields}. */
  static UnaryOperator<BsonDocument> parseSet(
      String name, BsonValue argument, ParseContext context) {
    if (!argument.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_40272,
          name + " specification stage must be an object, got " + BsonText.typeName(argument));
    }
    var rules = inStage(name, () -> new FieldRulesParser(context).parseSet(argument.asDocument()));
    return rules::computeIn;
  }

  static UnaryOperator<BsonDocument> parseUnset(
      String name, BsonValue argument, ParseContext context) {
    var paths = argument.isArray() ? argument.asArray() : new BsonArray();
    if (argument.isString()) {
      paths.add(argument);
    } else if (!argument.isArray()) {
      throw new CommandException(
          ErrorCode.LOCATION_31002, "$unset specification must be a string or an array");
    }
    if (paths.isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_31119,
          "$unset specification must be a string or an array with at least one field");
    }
    if (!paths.stream().allMatch(BsonValue::isString)) {
      throw new CommandException(
          ErrorCode.LOCATION_31120,
          "$unset specification must be a string or an array containing only string values");
    }
    var rules = inStage(name, () -> new FieldRulesParser(context).parseUnset(paths));
    return rules::withoutDropped;
  }

  static UnaryOperator<BsonDocument> parseProject(
      String name, BsonValue argument, ParseContext context) {
    if (!argument.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_15969, "$project specification must be an object");
    }
    return inStage(name, () -> new FieldRulesParser(context).parseProject(argument.asDocument()));
  }

  static UnaryOperator<BsonDocument> parseReplaceRoot(
      String name, BsonValue argument, ParseContext context) {
    if (!argument.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_40229,
          "expected an object as specification for $replaceRoot stage, got "
              + BsonText.typeName(argument));
    }
    for (String field : argument.asDocument().keySet()) {
      if (!field.equals("newRoot")) {
        throw new CommandException(
            ErrorCode.LOCATION_40230,
            "unrecognized option to $replaceRoot stage: "
                + field
                + ", only valid option is 'newRoot'.");
      }
    }
    if (argument.asDocument().isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_40231, "no newRoot specified for the $replaceRoot stage");
    }
    var root = Expressions.parse(argument.asDocument().get("newRoot"), context);
    return document -> replacement(root, document, "'newRoot' expression ");
  }

  static UnaryOperator<BsonDocument> parseReplaceWith(
      String name, BsonValue argument, ParseContext context) {
    var root = Expressions.parse(argument, context);
    return document -> replacement(root, document, "'replacement document' ");
  }

  private static BsonDocument replacement(Expression root, BsonDocument document, String role) {
    var value = root.evaluate(new Scope(document));
    if (value instanceof BsonDocument replacement) {
      return replacement;
    }
    throw new CommandException(
        ErrorCode.LOCATION_40228,
        role
            + " must evaluate to an object, but resulting value was: "
            + BsonText.aggregated(value)
            + ". Type of resulting value: '"
            + BsonText.typeName(value)
            + "'. Input document: "
            + BsonText.aggregated(document));
  }

  private static <T> T inStage(String name, Supplier<T> parser) {
    try {
      return parser.get();
    } catch (CommandException e) {
      throw new CommandException(
          e.code(), "Invalid " + name + " :: caused by :: " + e.getMessage());
    }
  }
}
