package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonValue;

/** Stages that stand for others: {@code $count}, {@code $sortByCount}. */
final class Shorthands {
  private Shorthands() {}

  static List<Stage> parseCount(String name, BsonValue argument, PipelineContext context) {
    String field = argument.isString() ? argument.asString().getValue() : "";
    if (field.isEmpty()) {
      throw new CommandException(
          argument.isString() ? ErrorCode.LOCATION_40157 : ErrorCode.LOCATION_40156,
          "the count field must be a non-empty string");
    }
    if (field.startsWith("$")) {
      throw new CommandException(
          ErrorCode.LOCATION_40158, "the count field cannot be a $-prefixed path");
    }
    if (field.indexOf('\0') >= 0) {
      throw new CommandException(
          ErrorCode.LOCATION_40159, "the count field cannot contain a null byte");
    }
    if (field.indexOf('.') >= 0) {
      throw new CommandException(ErrorCode.LOCATION_40160, "the count field cannot contain '.'");
    }
    if (field.equals("_id")) {
      throw new CommandException(
          ErrorCode.LOCATION_15948, "a group's _id may only be specified once");
    }
    var group =
        new BsonDocument("_id", BsonNull.VALUE)
            .append(field, new BsonDocument("$sum", new BsonInt32(1)));
    var stages = new ArrayList<>(GroupStage.parse("$group", group, context));
    stages.addAll(
        ProjectStage.parse("$project", new BsonDocument("_id", new BsonInt32(0)), context));
    return stages;
  }

  static List<Stage> parseSortByCount(String name, BsonValue argument, PipelineContext context) {
    if (argument.isDocument()) {
      BsonDocument expression = argument.asDocument();
      if (expression.isEmpty() || !expression.getFirstKey().startsWith("$")) {
        throw notAnExpression(ErrorCode.LOCATION_40147);
      }
    } else if (argument.isString()) {
      if (!argument.asString().getValue().startsWith("$")) {
        throw notAnExpression(ErrorCode.LOCATION_40148);
      }
    } else {
      throw new CommandException(
          ErrorCode.LOCATION_40149,
          "the sortByCount field must be specified as a string or as an object");
    }
    var group =
        new BsonDocument("_id", argument)
            .append("count", new BsonDocument("$sum", new BsonInt32(1)));
    var stages = new ArrayList<>(GroupStage.parse("$group", group, context));
    stages.add(SortStage.of(new BsonDocument("count", new BsonInt32(-1)), context));
    return stages;
  }

  private static CommandException notAnExpression(ErrorCode code) {
    return new CommandException(
        code,
        "the sortByCount field must be defined as a $-prefixed path or an expression inside an"
            + " object");
  }
}
